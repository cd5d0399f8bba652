"""Make `contract.json` from the installed botocore's PCS service model: `python -m pcs_contract.extract`.

Names, types and limits are taken over. Documentation text is left behind: it is AWS's prose, and nothing
here reads it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

API_VERSION = "2023-02-10"
TARGET = Path(__file__).with_name("contract.json")

_METADATA = {
    "api_version": "apiVersion",
    "endpoint_prefix": "endpointPrefix",
    "json_version": "jsonVersion",
    "service_id": "serviceId",
    "signing_name": "signingName",
    "target_prefix": "targetPrefix",
}
_SHAPE_FACTS = (
    "enum",
    "exception",
    "fault",
    "max",
    "min",
    "pattern",
    "retryable",
    "sensitive",
    "timestampFormat",
    "type",
)
_MEMBER_FACTS = ("idempotencyToken",)
_OPERATION_FACTS = ("idempotent", "readonly")


class BotocoreMissingError(RuntimeError):
    """botocore is not importable, so there is nothing to extract from."""


def extract() -> dict[str, Any]:
    """Return the contract that the installed botocore describes.

    Keys: `botocore` (its version), the metadata of `_METADATA`, `operations` (name -> input, output, errors,
    idempotent, readonly, pagination) and `shapes` (every shape that an operation reaches).
    Raises BotocoreMissingError when botocore is not installed, and botocore's own UnknownServiceError or
    DataNotFoundError when it is too old to know PCS.
    """
    try:
        botocore = importlib.import_module("botocore")
        loaders = importlib.import_module("botocore.loaders")
    except ImportError as error:
        raise BotocoreMissingError(
            "botocore is not installed, so the PCS service model cannot be read. "
            "Install it with: pip install 'botocore>=1.44.8'"
        ) from error

    # Only the model inside the package counts: a developer's own ~/.aws/models would give another result.
    loader = loaders.Loader(extra_search_paths=[loaders.Loader.BUILTIN_DATA_PATH], include_default_search_paths=False)
    model = loader.load_service_model("pcs", "service-2", API_VERSION)
    paginators = loader.load_service_model("pcs", "paginators-1", API_VERSION)["pagination"]

    operations = {name: _operation(operation, paginators.get(name)) for name, operation in model["operations"].items()}
    reached: dict[str, Any] = {}
    for operation in operations.values():
        for name in (operation["input"], operation["output"], *operation["errors"]):
            _collect(name, model["shapes"], reached)
    return {
        "botocore": botocore.__version__,
        **{ours: model["metadata"][theirs] for ours, theirs in _METADATA.items()},
        "operations": operations,
        "shapes": reached,
    }


def _operation(operation: dict[str, Any], pagination: dict[str, Any] | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "input": operation["input"]["shape"],
        "output": operation["output"]["shape"],
        "errors": sorted(error["shape"] for error in operation.get("errors", ())),
    }
    result.update({fact: operation[fact] for fact in _OPERATION_FACTS if fact in operation})
    if pagination is not None:
        result["pagination"] = pagination
    return result


def _collect(name: str, shapes: dict[str, Any], reached: dict[str, Any]) -> None:
    """Add the shape of that name, and all that it refers to, to `reached`."""
    if name in reached:
        return
    source = shapes[name]
    shape: dict[str, Any] = {fact: source[fact] for fact in _SHAPE_FACTS if fact in source}
    reached[name] = shape
    if source["type"] == "structure":
        shape["members"] = {member: _member(ref) for member, ref in source["members"].items()}
        shape["required"] = sorted(source.get("required", ()))
    for role in ("member", "key", "value"):
        if role in source:
            shape[role] = source[role]["shape"]
    references = [ref["shape"] for ref in source.get("members", {}).values()]
    references += [shape[role] for role in ("member", "key", "value") if role in shape]
    for reference in references:
        _collect(reference, shapes, reached)


def _member(reference: dict[str, Any]) -> dict[str, Any]:
    facts = {fact: reference[fact] for fact in _MEMBER_FACTS if fact in reference}
    return {"shape": reference["shape"], **facts}


def render(contract: dict[str, Any]) -> str:
    """Return the text of `contract.json`: keys sorted, so that a new botocore gives a readable diff."""
    return json.dumps(contract, indent=1, sort_keys=True) + "\n"


def write(text: str, target: Path = TARGET) -> bool:
    """Replace `target` by `text` in one step; False when it already holds that text. Raises OSError."""
    if target.is_file() and target.read_text(encoding="utf-8") == text:
        return False
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".contract-", suffix=".json")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        temporary.chmod(0o644)  # mkstemp gives 0600, and the file is part of a package that others read
        temporary.replace(target)
    except BaseException:
        temporary.unlink()
        raise
    return True


def main() -> int:
    """Write `contract.json` beside this module; exit code 0, or 2 when botocore is missing."""
    try:
        contract = extract()
    except BotocoreMissingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    changed = write(render(contract))
    print(
        f"{TARGET}: {'written' if changed else 'unchanged'} (botocore {contract['botocore']}, "
        f"{len(contract['operations'])} operations, {len(contract['shapes'])} shapes)"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
