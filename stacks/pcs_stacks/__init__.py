"""CDKTF constructs for AWS PCS that cannot express the mistakes the policy rules look for.

`docs/constructs.md` tells how to use them. `resource` is what the constructs have in common, `scripts` what nodes run,
`policy` the rules in an app, `cdk` the one module that imports cdktf or cdktn.
"""

from pcs_stacks import cdk  # before the others: it says what is missing
from pcs_stacks.cluster import Cluster, JobSubmitPlugin
from pcs_stacks.compute_node_group import ComputeNodeGroup, LaunchTemplate
from pcs_stacks.errors import ConstructError
from pcs_stacks.policy import PolicyAspect, waive
from pcs_stacks.providers import AwsccProvider, PcsProvider
from pcs_stacks.queue import Queue
from pcs_stacks.scripts import LifecycleScript, NodeLifecycle

__all__ = [
    "AwsccProvider",
    "Cluster",
    "ComputeNodeGroup",
    "ConstructError",
    "JobSubmitPlugin",
    "LaunchTemplate",
    "LifecycleScript",
    "NodeLifecycle",
    "PcsProvider",
    "PolicyAspect",
    "Queue",
    "cdk",
    "waive",
]
