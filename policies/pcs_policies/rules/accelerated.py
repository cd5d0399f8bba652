"""Which EC2 instance types carry accelerators, told by the letters that their names begin with.

Source: EC2 user guide for instance types, "Accelerated computing" and "Instance type naming conventions": the letters
before the first digit are the series (`p5en.48xlarge`: p). New generations keep them, so no list of types is needed.
"""

from __future__ import annotations

import re

from pcs_contract.hints import Final

SERIES: Final = {
    "p": "GPUs",
    "g": "GPUs",
    "gr": "GPUs",
    "trn": "Trainium chips",
    "inf": "Inferentia chips",
    "dl": "deep learning accelerators",
    "f": "FPGAs",
    "vt": "video transcoding cards",
}
"""Series of the accelerated computing families -> what they carry."""

_OTHER_GPUS = ("g4ad",)
"""Families of a GPU series whose GPUs are not NVIDIA's (AMD Radeon Pro V520)."""

_TYPE = r"([a-z]+)\d[a-z0-9-]*\.[a-z0-9-]+"


def accelerators(instance_type: str) -> str | None:
    """What accelerators an instance type carries; ``None`` for one that has none."""
    match = re.fullmatch(_TYPE, instance_type)
    return SERIES.get(match.group(1)) if match else None


def has_nvidia_gpus(instance_type: str) -> bool:
    """Whether an instance type has NVIDIA GPUs."""
    return accelerators(instance_type) == "GPUs" and not instance_type.startswith(_OTHER_GPUS)
