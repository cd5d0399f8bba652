"""Generated node groups without a fault, in the API's names."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from hypothesis import strategies as st

from pcs_policies.rules.fragments import Tree, actions, script


def pinned(name: str, location: str, **members: Any) -> Tree:
    """A script with all of its optional members; one location always has one checksum and one version."""
    digest = sha256(location.encode()).hexdigest()
    pins = {"checksum": digest, **({"s3VersionId": f"v{digest[:24]}"} if location.startswith("s3://") else {})}
    return script(name, location, **{**pins, "onError": "CONTINUE", "executionPolicy": "FIRST_BOOT_ONLY", **members})


LOGS = pinned("cloudwatch-logs", "s3://example-scripts/cloudwatch-logs.sh")


# Words of x, y and z say nothing of what a script is for.
_word = st.text("xyz019", min_size=1, max_size=9)
_names = st.text("xyzXYZ0129 _-", max_size=63).map("x{}".format)
_locations = st.one_of(
    st.builds("s3://bucket-{}/{}/{}.sh".format, _word, _word, _word),
    st.builds("https://{}.example.com/{}.sh".format, _word, _word),
    st.builds("https://{}.example.com:8443/{}/{}.sh".format, _word, _word, _word),
)
_arguments = st.lists(st.sampled_from(["", "--target", "/data", "a b", "x" * 256, "10"]), max_size=4)


def _scripts(on_error: list[str]) -> st.SearchStrategy[Tree]:
    return st.builds(
        pinned,
        st.just("unnamed"),
        _locations,
        arguments=_arguments,
        onError=st.sampled_from(on_error),
        executionPolicy=st.sampled_from(["FIRST_BOOT_ONLY", "EVERY_BOOT"]),
    )


@st.composite
def lifecycle_actions(draw: st.DrawFn) -> Tree:
    early = draw(st.lists(_scripts(["TERMINATE", "STOP_SEQUENCE", "CONTINUE"]), max_size=6))
    late = draw(st.lists(_scripts(["STOP_SEQUENCE", "CONTINUE"]), max_size=6))
    names = draw(st.lists(_names, min_size=len(early) + len(late), max_size=len(early) + len(late), unique=True))
    for one, name in zip([*early, *late], names, strict=True):
        one["name"] = name
    return actions(bootstrapped=[LOGS, *early], ready=late or None, caching=draw(st.sampled_from([None, "CACHE_ONCE"])))


@st.composite
def groups(draw: st.DrawFn) -> Tree:
    accelerated = draw(st.booleans())
    most = draw(st.integers(1, 2048))
    tree: Tree = {
        "name": draw(st.text("abcXYZ019-", min_size=2, max_size=24).map("c{}".format)),
        "clusterId": draw(st.sampled_from(["pcs_abcd1234", "cluster-1"])),
        "subnetIds": ["subnet-0123456789abcdef0"],
        "iamInstanceProfileArn": "arn:aws:iam::123456789012:instance-profile/aws-pcs/compute",
        "scalingConfiguration": {
            "minInstanceCount": 0 if accelerated or draw(st.booleans()) else most,
            "maxInstanceCount": most,
        },
        "instanceConfigs": [{"instanceType": "p5.48xlarge" if accelerated else "c7i.large"}],
        **draw(
            st.sampled_from([{}, {"purchaseOption": "SPOT", "spotOptions": {"allocationStrategy": "lowest-price"}}])
        ),
        **draw(
            st.sampled_from(
                [
                    {"customLaunchTemplate": {"id": "lt-0123456789abcdef0", "version": "$Latest"}},
                    {
                        "launchTemplateMode": "MANAGED",
                        "amiId": "ami-0123456789abcdef0",
                        "securityGroupIds": ["sg-0123456789abcdef0"],
                    },
                ]
            )
        ),
        **draw(st.one_of(st.just({}), lifecycle_actions())),
    }
    if draw(st.booleans()):
        tree["slurmConfiguration"] = {
            "scaleDownIdleTimeInSeconds": draw(st.integers(1, 10_000_000)),
            "slurmCustomSettings": [{"parameterName": "Weight", "parameterValue": "10"}],
        }
    if draw(st.booleans()):
        tree["instanceHealthChecks"] = {
            "healthMonitoring": {"mode": "STANDARD", "repairAction": "ISOLATE"},
            "deepHealthChecks": {"onStart": {"profile": "QUICK" if accelerated else "NONE"}},
        }
    if draw(st.booleans()):
        tree["tags"] = {"team": "hpc", "note": ""}
    return tree
