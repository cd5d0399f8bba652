"""AWS PCS on this machine: the service's control plane over real HTTP, with S3, IAM, EC2 and STS beside it.

    with pcs_bridge.endpoint.running() as endpoint:
        pcs = endpoint.client("pcs")

From the outside in:

- `cli`, `child`: the command `pcsguard local`; `local`: the same inside a process; `sessions`: clients for it;
- `listener` with `bodies`: HTTP; `control`: what the endpoint says of itself; `neighbours`: what moto answers;
- `service`: PCS, without HTTP;
- `protocol`: awsJson 1.0; `errors`: what goes wrong, as the service says it;
- `rules`: what only text says of a request (`pcs_contract.limits`: what the shapes say); `ec2`: whom they ask;
- `operations`: one function for each operation; `call`: what each works with; `changes`: what an update leaves, removes
  and replaces; `instances`: the nodes that registered;
- `idempotency`, `pagination`, `identifiers`, `status` with `clock`: tokens, pages, ids and the passage of time;
- `store`: where resources live, behind a small interface; `state`: how they outlive the process;
- `switches`: what nobody documents; `faults`: what goes wrong on purpose.

Sources: the contract for shapes; the texts of the PCS API reference and user guide for the rest, named where they are
used. Where both are silent, a switch or a comment says what was chosen.
"""

from pcs_bridge.endpoint.clock import ManualClock
from pcs_bridge.endpoint.local import Endpoint, running
from pcs_bridge.endpoint.status import Delays

__all__ = ["Delays", "Endpoint", "ManualClock", "running"]
