"""What the pages say beyond the schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pcs_bridge.provider import kinds, script

INDEX: Final = """\
What the provider is for, how it is installed and what happens when it creates, updates and deletes stands in \
[The Terraform provider](../provider.md). These pages are the reference.

Credentials are never part of the provider block. They are found as boto3 finds them: in the environment, in the AWS
configuration files (`profile`), from SSO, or from the instance or container. `assume_role` takes on a role with them.
"""

POLICY: Final = """\
With `policy = "warn"` every finding of pcsguard's rules on a compute node group is a warning of `terraform plan`, with
the attribute that it is about. With `policy = "enforce"`, findings at or above `fail-on` of the configuration (errors,
unless it says otherwise) stop the plan. What only apply reveals is judged when terraform applies, before the group is
made or changed; what cannot be judged even then stops it too. The rules, their severities and the allow-list are those
of the nearest [`pcsguard.toml`](../configuration.md) from the folder in which terraform runs. What PCS would refuse is
an error in any case.

A provider sees one group at a time and is not told its address. So rules that compare groups (PCS109) are for
`pcsguard check`, and so are waivers, which name addresses: where a finding is accepted, leave the rule out with
`ignore`, or use `warn` here and let `pcsguard check` decide. Nor is it told which values are sensitive: findings about
arguments do not quote them.
"""

IMPORT_AND_MOVE: Final = """\
Everything can be imported, by an `import` block or by `terraform import`; the pages of the resources say with which
identifier. A configuration that states what is there is then planned without a change, and so is the one that
`terraform plan -generate-config-out=FILE` writes. The order of a list without order, and a default within a script, a
setting or a network that a response shows though you left it out, are no change either.

A response does not tell everything that a configuration may state, and terraform lets no provider keep a value in its
state that the configuration leaves out. So what such a state lacks is planned once, as an update that asks nothing of
AWS when it is applied; the next plan is empty:

| the configuration states | the first plan shows |
|---|---|
| a default of the resource itself: `purchase_option = "ONDEMAND"`, `slurm_configuration` of a cluster | an addition |
| a default within something that the response leaves out: `on_error = "TERMINATE"` | an addition |
| an empty value, such as `tags = {}`, or `timeouts` | an addition |
| the `source` of a script that the identifier does not name | `source` in place of `content` |

`moved` blocks take over what the provider awscc made, without a change in AWS:
"""

MOVED: Final = """\
moved {
  from = awscc_pcs_compute_node_group.workers
  to   = pcs_compute_node_group.workers
}
"""

OPENTOFU: Final = """\
The provider speaks version 6 of the plugin protocol, which both have, and `pcsguard provider install` writes it for
both. The tests run with Terraform. Of what is used here,

- `import` blocks need Terraform 1.5 or OpenTofu 1.6;
- functions need Terraform 1.8 or OpenTofu 1.7;
- `moved` blocks between resource types need Terraform 1.8 or OpenTofu 1.10.
"""

KIND_NOTES: Final[Mapping[str, str]] = {
    kinds.CLUSTER.type_name: """\
`id` is the ARN, as in awscc; refer to a cluster by `cluster_id`. The keys of the cluster are `auth_key` and `jwt_auth`
here, not below `slurm_configuration` as in awscc, because that is null when you leave it out.

PCS makes one cluster of an account and Region at a time; several in one apply are made one after the other. An update
needs every group and queue of the cluster to be ACTIVE, and waits for those that are being changed.
""",
    kinds.NODE_GROUP.type_name: """\
`id` is the ARN, as in awscc; refer to a group by `compute_node_group_id`.

A change of `node_lifecycle_actions` or `instance_health_checks` drains and replaces every node of the group, and is an
update in place to terraform. `name`, `cluster_id` and `instance_configs` replace the group.

While a queue uses a group, PCS does not delete it, and terraform deletes before it changes what refers to it. With
`lifecycle { create_before_destroy = true }` it changes the queue first; a replacement then needs another name.
Terraform treats everything that the group depends on the same way. So what failed to be created, and is tainted, has to
be destroyed by itself (`terraform destroy -target=ADDRESS`) before it can be made anew under its name.
""",
    kinds.QUEUE.type_name: """\
`id` is the ARN, as in awscc; refer to a queue by `queue_id`. Deleting a queue terminates the nodes of groups that no
other queue uses.
""",
    script.TYPE: """\
The content is read whenever terraform plans, so a change of a file shows in the plan, as a change of the script and of
exactly the groups that refer to it. Nodes verify what they fetch against `checksum`; with `s3_version_id` they fetch
the very content that was planned, whatever is put to the key later.

An object that exists already is not replaced by a new resource, unless it has the same content: import it instead.
A new content is a new version, and a destroy leaves a delete marker: versions stay in the bucket, since groups in other
configurations may be pinned to them. When a file changes between plan and apply, nothing is put to S3 and terraform
stops, so that what is applied is what was reviewed: plan again. Only from 1.16 on is a provider told enough of the plan
to say so itself; an older Terraform calls the other `checksum` a "Provider produced inconsistent final plan" and a bug
of the provider, which it is not.

What others put to the key is put right by the next apply.

The provider needs `s3:PutObject`, `s3:GetObject`, `s3:GetObjectVersion` and `s3:DeleteObject` on the object, and
`s3:ListBucket` on the bucket, without which S3 does not tell a missing object from a forbidden one.
""",
}
"""Resource type -> what to know."""

IMPORTS: Final[Mapping[str, str]] = {
    kinds.CLUSTER.type_name: "pcs_cluster.hpc hpc",
    kinds.NODE_GROUP.type_name: "pcs_compute_node_group.workers hpc/workers",
    kinds.QUEUE.type_name: "pcs_queue.batch hpc/batch",
    script.TYPE: "pcs_lifecycle_script.mount ./scripts/mount.sh=s3://hpc-scripts/lifecycle/mount.sh",
}
"""Resource type -> the arguments of a `terraform import`."""

IDENTIFIERS: Final[Mapping[str, str]] = {
    kinds.CLUSTER.type_name: "By the id or name of the cluster, or by its ARN:",
    kinds.NODE_GROUP.type_name: "By the ids or names of the cluster and the group, or by the ARN of the group. Use the "
    "cluster's id where `cluster_id` is the id:",
    kinds.QUEUE.type_name: "By the ids or names of the cluster and the queue, or by the ARN of the queue. Use the "
    "cluster's id where `cluster_id` is the id:",
    script.TYPE: "By the location, for a configuration with `content`. For one with `source`, that stands before it, "
    "just as the configuration has it, `${path.module}` being `.` in the root module:",
}
"""Resource type -> what identifies one."""
