"""Paths as people read them."""

import pytest

from pcs_bridge.plugin.paths import Key, Path, dotted


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("name",), "name"),
        (("stages", "node_ready", 0, "checksum"), "stages.node_ready[0].checksum"),
        (("tags", Key("a.b c")), 'tags["a.b c"]'),
        (("tags", Key('say "hi" \\')), 'tags["say \\"hi\\" \\\\"]'),
        ((Key("a"), 1, "b"), '["a"][1].b'),
    ],
)
def test_dotted(path: Path, text: str) -> None:
    assert dotted(path) == text
