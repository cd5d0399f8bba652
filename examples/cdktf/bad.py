"""The cluster of `stacks/hpc.toml` with two mistakes, made past the constructs and synthesized unchecked."""

from pcs_stacks.app import make
from pcs_stacks.cdk import App

app = App(skip_validation=True)
stack = make(app)
stack.gpu.add_override("node_lifecycle_actions.stages.node_bootstrapped.3.script_source.checksum", None)
stack.login.add_override("node_lifecycle_actions.stages.node_ready.0.on_error", "TERMINATE")
app.synth()
