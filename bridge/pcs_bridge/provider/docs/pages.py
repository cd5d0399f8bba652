"""All pages of docs/provider/, in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pcs_bridge.plugin.function import Function
from pcs_bridge.plugin.schema import Schema
from pcs_bridge.provider import settings
from pcs_bridge.provider.docs import example, schema, words
from pcs_bridge.provider.provider import PcsProvider
from pcs_policies.docs import markdown

FOLDER: Final = "docs/provider"


def pages() -> dict[str, str]:
    """Path, relative to the repository -> text."""
    provider = PcsProvider()
    found = {"index.md": _index(provider)}
    for name, resource in sorted(provider.resources.items()):
        found[f"resources/{_short(name)}.md"] = _resource(name, resource.schema)
    for name, source in sorted(provider.data_sources.items()):
        found[f"data-sources/{_short(name)}.md"] = _data_source(name, source.schema)
    for name, function in sorted(provider.functions.items()):
        found[f"functions/{name}.md"] = _function(name, function)
    return {f"{FOLDER}/{path}": markdown.document((markdown.generated(_SOURCES), text)) for path, text in found.items()}


_SOURCES: Final = "the schemas, examples/provider and pcs_bridge/provider/docs/words.py"


def _short(name: str) -> str:
    """`pcs_cluster` gives `cluster`, as the registry names pages."""
    return name.removeprefix("pcs_")


def _index(provider: PcsProvider) -> str:
    return markdown.document(
        (
            "# Provider pcs\n",
            markdown.paragraph(provider.schema.description),
            words.INDEX,
            "## Example\n",
            schema.hcl(example.blocks('provider "pcs"')),
            f"`{example.FOLDER}` in the repository is a whole cluster with scripts, groups and a queue.\n",
            "## Pages\n",
            markdown.table(("", "pages"), _contents(provider)),
            "## Schema\n",
            *schema.page(settings.SCHEMA),
            "## Policy\n",
            words.POLICY,
            "## Import and move\n",
            words.IMPORT_AND_MOVE,
            schema.hcl(words.MOVED),
            "## Terraform and OpenTofu\n",
            words.OPENTOFU,
        )
    )


def _contents(provider: PcsProvider) -> Iterator[tuple[str, str]]:
    for title, folder, names in (
        ("Resources", "resources", provider.resources),
        ("Data sources", "data-sources", provider.data_sources),
        ("Functions", "functions", provider.functions),
    ):
        yield title, ", ".join(f"[`{name}`]({folder}/{_short(name)}.md)" for name in sorted(names))


def _resource(name: str, of: Schema) -> str:
    return markdown.document(
        (
            f"# {name} (resource)\n",
            markdown.paragraph(of.description),
            words.KIND_NOTES[name],
            "## Example\n",
            schema.hcl(example.blocks(f'resource "{name}"')),
            "## Schema\n",
            *schema.page(of),
            "## Import\n",
            markdown.paragraph(words.IDENTIFIERS[name]),
            markdown.code("sh", f"terraform import {words.IMPORTS[name]}"),
        )
    )


def _data_source(name: str, of: Schema) -> str:
    return markdown.document(
        (
            f"# {name} (data source)\n",
            markdown.paragraph(of.description),
            "## Example\n",
            schema.hcl(example.blocks(f'data "{name}"')),
            "## Schema\n",
            *schema.page(of),
        )
    )


def _function(name: str, of: Function) -> str:
    return markdown.document(
        (
            f"# {name} (function)\n",
            markdown.paragraph(of.description),
            "## Example\n",
            schema.hcl(example.blocks_with(f"provider::pcs::{name}(")),
            "## Signature\n",
            markdown.code("text", schema.signature(name, of)),
            "## Arguments\n",
            "\n".join(
                f"{number}. `{parameter.name}` ({schema.type_name(parameter.type)}) {parameter.description}"
                for number, parameter in enumerate(of.parameters, 1)
            )
            + "\n",
        )
    )
