"""The program of the provider, which terraform starts: `python -m pcs_bridge.provider`."""

from pcs_bridge.plugin.provider import Provider
from pcs_bridge.plugin.serve import run


def _provider() -> Provider:
    # Not at the top: terraform waits for the handshake, and not for what the provider itself needs.
    from pcs_bridge.provider.provider import PcsProvider

    return PcsProvider()


if __name__ == "__main__":
    run(_provider)
