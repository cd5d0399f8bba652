"""The capacity rules beyond their own fragments."""

from __future__ import annotations

import pytest
from support.verdicts import outcomes

from pcs_policies.document import Stated, build
from pcs_policies.rules import table
from pcs_policies.rules.accelerated import accelerators, has_nvidia_gpus
from pcs_policies.settings import Settings

AT = "scalingConfiguration.minInstanceCount"


def fails(rule: str, least: object, most: object, *types: str) -> bool:
    document = build(
        address="group.hpc",
        resource_type="pcs_compute_node_group",
        spelling="api",
        after={
            "scalingConfiguration": {"minInstanceCount": least, "maxInstanceCount": most},
            "instanceConfigs": [{"instanceType": name} for name in types],
        },
        stated=Stated.YES,
    )
    found = outcomes(table.find(rule), document, Settings())
    assert not found["undecided"]
    assert found["fail"] <= {AT}
    return bool(found["fail"])


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        (0, 0, False),
        (0, 1, False),
        (0, 2048, False),
        (1, 1, False),
        (1, 2, True),
        (2, 1, True),
        ("2", "8", True),  # terraform converts numbers in quotes
        (1, 0, True),
        (-1, 8, False),  # below 0 is PCS303's
        (8, -1, False),
        (None, 8, False),  # what is missing is PCS301's
        (8, None, False),
    ],
)
def test_bounds(least: object, most: object, expected: bool) -> None:
    assert fails("PCS401", least, most) is expected


@pytest.mark.parametrize(
    ("instance_type", "carries", "nvidia"),
    [
        ("p5en.48xlarge", "GPUs", True),
        ("p6e-gb200.36xlarge", "GPUs", True),
        ("g6.xlarge", "GPUs", True),
        ("g4ad.xlarge", "GPUs", False),
        ("gr6f.4xlarge", "GPUs", True),
        ("trn1n.32xlarge", "Trainium chips", False),
        ("inf2.xlarge", "Inferentia chips", False),
        ("dl2q.24xlarge", "deep learning accelerators", False),
        ("f2.6xlarge", "FPGAs", False),
        ("vt1.3xlarge", "video transcoding cards", False),
        ("c7gn.large", None, False),
        ("hpc7g.16xlarge", None, False),
        ("i4g.large", None, False),
        ("x2gd.metal", None, False),
        ("u-6tb1.metal", None, False),
        ("mac2-m2.metal", None, False),
        ("P5.48xlarge", None, False),
        ("p", None, False),
        ("", None, False),
    ],
)
def test_accelerators_by_the_letters_of_the_series(instance_type: str, carries: str | None, nvidia: bool) -> None:
    assert (accelerators(instance_type), has_nvidia_gpus(instance_type)) == (carries, nvidia)


@pytest.mark.parametrize(
    ("least", "types", "expected"),
    [
        (0, ("p5.48xlarge",), False),
        (-1, ("p5.48xlarge",), False),
        (1, ("p5.48xlarge",), True),
        (1, ("c7i.large",), False),
        (1, ("c7i.large", "inf2.xlarge"), True),
        (1, (), False),
    ],
)
def test_static_accelerators(least: int, types: tuple[str, ...], expected: bool) -> None:
    assert fails("PCS402", least, 4, *types) is expected
