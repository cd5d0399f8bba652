"""Mistakes: each function makes one, on the line that ends in `# here`. Prints what is said of each, as JSON."""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from pcs_stacks import (
    AwsccProvider,
    Cluster,
    ComputeNodeGroup,
    ConstructError,
    JobSubmitPlugin,
    LaunchTemplate,
    LifecycleScript,
    NodeLifecycle,
    PolicyAspect,
    Queue,
    waive,
)
from pcs_stacks.cdk import App, TerraformResource, TerraformStack

SUM = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
CLUSTER: dict[str, Any] = {
    "name": "hpc",
    "size": "SMALL",
    "slurm_version": "25.05",
    "subnet_ids": ["subnet-0123456789abcdef0"],
}
GROUP: dict[str, Any] = {
    "name": "compute",
    "cluster": "pcs_example123",
    "subnet_ids": ["subnet-0123456789abcdef0"],
    "iam_instance_profile_arn": "arn:aws:iam::123456789012:instance-profile/AWSPCS-hpc",
    "instance_types": ["c7i.48xlarge"],
    "min_instance_count": 0,
    "max_instance_count": 4,
    "launch_template": LaunchTemplate(id="lt-0123456789abcdef0", version="1"),
}


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in GROUP.items() if name not in names}


def script(name: str = "motd", **members: Any) -> LifecycleScript:
    return LifecycleScript.s3("s3://example-scripts/motd.sh", name=name, checksum=SUM, s3_version_id="v1", **members)


def running(stack: TerraformStack, lifecycle: NodeLifecycle) -> ComputeNodeGroup:
    return ComputeNodeGroup(stack, "compute", **GROUP, node_lifecycle=lifecycle)


# What is refused when it is made.


def terminate_on_ready(stack: TerraformStack) -> None:
    motd = LifecycleScript.s3(
        "s3://example-scripts/motd.sh",
        name="motd",
        checksum=SUM,
        on_error="TERMINATE",  # here
    )
    running(stack, NodeLifecycle(ready=[motd]))


def http(stack: TerraformStack) -> None:
    motd = LifecycleScript.https("http://scripts.example.com/motd.sh", name="motd", checksum=SUM)  # here
    running(stack, NodeLifecycle(ready=[motd]))


def http_in_the_general_form(stack: TerraformStack) -> None:
    motd = LifecycleScript(
        name="motd",
        location="http://scripts.example.com/motd.sh",  # here
        checksum=SUM,
    )
    running(stack, NodeLifecycle(ready=[motd]))


def no_checksum(stack: TerraformStack) -> None:
    LifecycleScript.https("https://scripts.example.com/motd.sh", name="motd")  # type: ignore[call-arg]  # here


def a_checksum_of_none(stack: TerraformStack) -> None:
    motd = LifecycleScript.s3(
        "s3://example-scripts/motd.sh",
        name="motd",
        checksum=None,  # type: ignore[arg-type]  # here
    )
    running(stack, NodeLifecycle(ready=[motd]))


def a_checksum_of_nothing(stack: TerraformStack) -> None:
    motd = LifecycleScript.s3("s3://example-scripts/motd.sh", name="motd", checksum=EMPTY)  # here
    running(stack, NodeLifecycle(ready=[motd]))


def two_of_one_name(stack: TerraformStack) -> None:
    first = script()
    second = LifecycleScript.s3("s3://example-scripts/other.sh", name="motd", checksum=SUM)  # here
    running(stack, NodeLifecycle(bootstrapped=[first, second]))


def twenty_one_scripts(stack: TerraformStack) -> None:
    running(
        stack,
        NodeLifecycle(
            ready=[script(f"step {index}") for index in range(21)],  # here
        ),
    )


def a_misspelled_choice(stack: TerraformStack) -> None:
    ComputeNodeGroup(
        stack,
        "compute",
        **GROUP,
        purchase_option="SPOTS",  # type: ignore[arg-type]  # here
    )


def a_number_as_text(stack: TerraformStack) -> None:
    ComputeNodeGroup(
        stack,
        "compute",
        **without("max_instance_count"),
        max_instance_count="many",  # type: ignore[arg-type]  # here
    )


def more_at_least_than_at_most(stack: TerraformStack) -> None:
    ComputeNodeGroup(stack, "compute", **without("min_instance_count"), min_instance_count=5)  # here


def a_text_in_place_of_a_list(stack: TerraformStack) -> None:
    ComputeNodeGroup(stack, "compute", **without("subnet_ids"), subnet_ids="subnet-0123456789abcdef0")  # here


def no_launch_template(stack: TerraformStack) -> None:
    ComputeNodeGroup(stack, "compute", **without("launch_template"), provider="pcs")  # here


def what_awscc_lacks(stack: TerraformStack) -> None:
    ComputeNodeGroup(
        stack,
        "compute",
        **GROUP,
        ssh_key_name="ops",  # here
    )


def what_awscc_lacks_in_a_cluster(stack: TerraformStack) -> None:
    plugin = JobSubmitPlugin(name="limits", location="s3://example-scripts/limits.star", checksum=SUM)
    Cluster(stack, "cluster", **CLUSTER, job_submit_plugin=plugin)  # here


def no_such_provider(stack: TerraformStack) -> None:
    Cluster(stack, "cluster", **CLUSTER, provider="aws")  # type: ignore[arg-type]  # here


def a_cluster_of_no_size(stack: TerraformStack) -> None:
    Cluster(stack, "cluster", **{**CLUSTER, "size": "TINY"})  # here


def a_queue_of_a_bad_name(stack: TerraformStack) -> None:
    Queue(
        stack,
        "queue",
        name="1st",  # here
        cluster="pcs_example123",
        compute_node_groups=[],
    )


def a_script_in_place_of_a_list(stack: TerraformStack) -> None:
    NodeLifecycle(ready=script())  # type: ignore[arg-type]  # here


def a_file_that_is_not_there(stack: TerraformStack) -> None:
    LifecycleScript.from_file("files/nowhere.sh", bucket="example-scripts")  # here


def two_files_of_one_key(stack: TerraformStack) -> None:
    first = LifecycleScript.from_file("files/motd.sh", bucket="example-scripts", key="x", name="a")
    second = LifecycleScript.from_file("mistakes.py", bucket="example-scripts", key="x", name="b")  # here
    running(stack, NodeLifecycle(ready=[first, second]))


def not_locked(stack: TerraformStack) -> None:
    LifecycleScript.from_lock("tone", lock_file="files/pcs-scripts.lock.json")  # here


def no_script_of_aws(stack: TerraformStack) -> None:
    LifecycleScript.aws("mount-ebs", "1.0.0", "us-east-1", checksum=SUM)  # type: ignore[call-overload]  # here


def no_flag_of_that_script(stack: TerraformStack) -> None:
    LifecycleScript.aws(  # type: ignore[call-overload]
        "mount-efs",
        "1.0.0",
        "us-east-1",
        checksum=SUM,
        file_system_id="fs-0123456789abcdef0",
        mount_point="/home",
        mount_options="tls",  # here
    )


def a_flag_is_missing(stack: TerraformStack) -> None:
    LifecycleScript.aws("mount-efs", "1.0.0", "us-east-1", checksum=SUM, mount_point="/home")  # type: ignore[call-overload]  # here


def a_flag_of_the_wrong_form(stack: TerraformStack) -> None:
    home = LifecycleScript.aws(
        "mount-efs",
        "1.0.0",
        "us-east-1",
        checksum=SUM,
        file_system_id="fs-0123456789abcdef0",
        mount_point="home",  # here
    )
    running(stack, NodeLifecycle(bootstrapped=[home]))


def an_alias_with_a_checksum(stack: TerraformStack) -> None:
    logs = LifecycleScript.aws("configure-cloudwatch-logs", "1-latest", "us-east-1", checksum=SUM)  # here
    running(stack, NodeLifecycle(bootstrapped=[logs]))


def a_waiver_of_nobody(stack: TerraformStack) -> None:
    group = ComputeNodeGroup(stack, "compute", **GROUP)
    waive(group, "PCS999", owner=" ", until="soon", reason="")  # here


def a_waiver_of_what_is_never_broken(stack: TerraformStack) -> None:
    group = ComputeNodeGroup(stack, "compute", **GROUP)
    waive(group, "checksum-required", owner="hpc", until="2027-01-31", reason="later")  # here


def a_waiver_of_a_queue(stack: TerraformStack) -> None:
    queue = Queue(stack, "queue", name="batch", cluster="pcs_example123", compute_node_groups=[])
    waive(queue, "PCS104", owner="hpc", until="2027-01-31", reason="later")  # here


# What is found when the app is synthesized.


def a_mount_when_jobs_run(stack: TerraformStack) -> None:
    home = LifecycleScript.s3("s3://example-scripts/home.sh", name="mount home", checksum=SUM)  # here
    running(stack, NodeLifecycle(ready=[home]))


def a_secret(stack: TerraformStack) -> None:
    login = LifecycleScript.s3(
        "s3://example-scripts/login.sh",
        name="login",
        checksum=SUM,
        arguments=["--password", "correct-horse-battery"],  # here
    )
    running(stack, NodeLifecycle(bootstrapped=[login]))


def an_override(stack: TerraformStack) -> None:
    motd = LifecycleScript.s3("s3://example-scripts/motd.sh", name="motd", checksum=SUM, s3_version_id="v1")
    group = running(stack, NodeLifecycle(ready=[motd]))
    group.add_override("node_lifecycle_actions.stages.node_ready.0.on_error", "TERMINATE")  # here


def raw_resource(stack: TerraformStack) -> TerraformResource:
    raw = TerraformResource(stack, "raw", terraform_resource_type="awscc_pcs_compute_node_group")
    for name, attribute in {"name": "compute", "cluster_id": "pcs_example123"}.items():
        raw.add_override(name, attribute)
    source = {"script_location": "s3://example-scripts/motd.sh", "s3_version_id": "v1", "checksum": SUM}
    scripts = [{"name": "motd", "script_source": source, "execution_policy": "EVERY_BOOT"}]
    raw.add_override("node_lifecycle_actions", {"stages": {"node_ready": scripts}})
    PolicyAspect(stack)
    PolicyAspect(stack)  # once is enough
    return raw


def a_raw_resource(stack: TerraformStack) -> None:
    raw_resource(stack)


def a_waived_raw_resource(stack: TerraformStack) -> None:
    raw = raw_resource(stack)
    waive(raw, "PCS201", owner="hpc", until="2027-01-31", reason="it is a test")
    waive(raw, "PCS301", owner="hpc", until="2027-01-31", reason="it is a test", leaf="instance_configs")


def line_of(case: Callable[[TerraformStack], None]) -> int | None:
    """The line of the mistake in this file."""
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines[case.__code__.co_firstlineno :], case.__code__.co_firstlineno + 1):
        if line.endswith("# here"):
            return number
        if line.startswith("def "):
            break
    return None


def said_of(case: Callable[[TerraformStack], None]) -> str:
    app = App(outdir=os.path.join(os.environ["OUT"], case.__name__))
    try:
        stack = TerraformStack(app, "hpc")
        AwsccProvider(stack, "awscc")
        case(stack)
    except (ConstructError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    try:
        app.synth()
    except RuntimeError as error:
        return f"at synth: {error}"
    return "nothing"


if __name__ == "__main__":
    cases = [
        value for value in list(globals().values()) if getattr(value, "__annotations__", {}).get("return", 0) is None
    ]
    json.dump({case.__name__: [line_of(case), said_of(case)] for case in cases}, sys.stdout)
