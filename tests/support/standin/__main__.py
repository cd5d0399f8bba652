"""The stand-in's program: ``python -m support.standin RESOURCE_TYPE``, started by terraform."""

import os
import sys

from pcs_bridge.plugin.provider import Provider
from pcs_bridge.plugin.serve import run


def provider() -> Provider:
    from support.standin.provider import StandIn

    flavour = os.environ.get("STANDIN_FLAVOUR", "computed")
    if flavour not in ("computed", "plain"):
        raise ValueError("STANDIN_FLAVOUR is neither computed nor plain")
    return StandIn(sys.argv[1], "plain" if flavour == "plain" else "computed")


if __name__ == "__main__":
    run(provider)
