"""Scripts of this project that an app publishes, each once in a stack."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import ClassVar, Final
from weakref import WeakKeyDictionary

from constructs import Construct

from pcs_stacks.cdk import AssetType, TerraformAsset, TerraformStack
from pcs_stacks.errors import ConstructError, Mistake
from pcs_stacks.lines import Call
from pcs_stacks.resource import PcsResource
from pcs_stacks.scripts import LifecycleScript, Upload
from pcs_stacks.tokens import UNRESOLVED


class PublishedScript(PcsResource):
    """A script that terraform puts into a bucket, from the copy that lies with the synthesized stack."""

    TYPE: ClassVar[str] = "pcs_lifecycle_script"
    PROPS: ClassVar[Mapping[str, str]] = {"bucket": "bucket", "key": "key", "source": "source"}

    def __init__(self, scope: Construct, id: str, *, upload: Upload, call: Call) -> None:
        self.upload: Final = upload
        asset = TerraformAsset(scope, f"{id}-file", path=os.path.abspath(upload.path), type=AssetType.FILE)
        super().__init__(
            scope,
            id,
            provider="pcs",
            call=call,
            values={"bucket": upload.bucket, "key": upload.key, "source": asset.path},
        )
        self.s3_version_id: Final = self.get_string_attribute("s3_version_id")


_PUBLISHED: WeakKeyDictionary[TerraformStack, dict[str, PublishedScript]] = WeakKeyDictionary()


def expected_version(script: LifecycleScript) -> str | None:
    """The s3_version_id of a script, before the resource that publishes it is there."""
    return UNRESOLVED if script.upload is not None else script.s3_version_id


def published_version(script: LifecycleScript, stack: TerraformStack) -> str | None:
    """The s3_version_id of a script in a stack, which publishes it if that is asked for. Raises ConstructError."""
    upload = script.upload
    if upload is None:
        return script.s3_version_id
    known = _PUBLISHED.setdefault(stack, {})
    id = "lifecycle-script-" + re.sub(r"[^A-Za-z0-9]+", "-", upload.key).strip("-")
    if id not in known:
        known[id] = PublishedScript(stack, id, upload=upload, call=Call(script.places[""], {}))
    if known[id].upload != upload:
        raise ConstructError(
            stack.node.path,
            [
                Mistake(
                    script.places[""],
                    f"two files are published as {upload.key}: {known[id].upload.path} and {upload.path}",
                    "give them keys of their own, with key=",
                )
            ],
        )
    return known[id].s3_version_id
