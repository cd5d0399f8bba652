"""Turns node groups into source: Terraform's own syntax and its JSON, CloudFormation YAML and JSON, API JSON.

Each renderer takes groups by name, in the API's names, and gives the text of one file. A reference, whatever it stands
for, is one to something that only apply reveals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from support.render import is_known

from pcs_contract import spelling
from pcs_contract.shapes import REQUEST_NAMES
from pcs_contract.spelling import FieldSpec, Spelling
from pcs_policies.rules.fragments import KEPT, UNKNOWN, Tree
from pcs_policies.rules.hcl_example import hcl, resource_type
from pcs_policies.sources.kinds import CLOUDFORMATION_TYPE

Groups = Mapping[str, Tree]
Types = Mapping[str, str]
"""Resource types by the names of the groups that do not take the one that fits what they hold."""

LATER = "jsondecode(terraform_data.later.id)"
"""Known only after apply, and so is its type: it can stand for a text, a list or an object."""

_MARK = "later-on-apply"


def terraform(groups: Groups, types: Types | None = None) -> str:
    """A ``.tf`` file. Terraform itself can plan it."""
    blocks = [hcl(_marked(tree), _type(name, tree, types), name) for name, tree in groups.items()]
    if not all(map(is_known, groups.values())):
        blocks.append('resource "terraform_data" "later" {}\n')
    return "\n".join(blocks).replace(f'"{_MARK}"', LATER)


def _type(name: str, tree: Tree, types: Types | None) -> str:
    return (types or {}).get(name) or resource_type(tree)


def terraform_json(groups: Groups, types: Types | None = None) -> str:
    """What ``cdktf synth`` writes."""
    resources: dict[str, Any] = {"terraform_data": {"later": {}}}
    for name, tree in groups.items():
        values = _spelled(spelling.structure("terraform"), tree, f"${{{LATER}}}", _escaped)
        resources.setdefault(_type(name, tree, types), {})[name] = values
    # checkov 3.2 takes no file without a provider for terraform's.
    return json.dumps({"provider": {"awscc": [{"region": "us-east-1"}]}, "resource": resources}, indent=2)


def _escaped(text: str) -> str:
    return text.replace("${", "$${").replace("%{", "%%{")


def cloudformation_json(groups: Groups) -> str:
    """A template in JSON."""
    return json.dumps(_template(groups), indent=2)


def cloudformation_yaml(groups: Groups) -> str:
    """A template in YAML, in block style and with short forms."""
    return "".join(f"{line}\n" for line in _block(_template(groups)))


def _template(groups: Groups) -> dict[str, Any]:
    root = spelling.structure("cloudformation")
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Parameters": {"Later": {"Type": "String"}},
        "Resources": {
            name: {"Type": CLOUDFORMATION_TYPE, "Properties": _spelled(root, tree, {"Ref": "Later"})}
            for name, tree in groups.items()
        },
    }


def _block(value: dict[str, Any]) -> Iterator[str]:
    for key, member in value.items():
        yield from _entry(f"{json.dumps(key)}:", member)


def _entry(head: str, value: Any) -> Iterator[str]:
    """A member or an item, with what introduces it."""
    if value == {"Ref": "Later"}:
        yield f"{head} !Ref Later"
    elif isinstance(value, dict) and value:
        yield head
        yield from (f"  {line}" for line in _block(value))
    elif isinstance(value, list) and value:
        yield head
        for item in value:
            yield from (f"  {line}" for line in _entry("-", item))
    else:
        yield f"{head} {json.dumps(value)}"


def api_request(tree: Tree) -> str:
    """The input of ``aws pcs create-compute-node-group --cli-input-json``."""
    return json.dumps({REQUEST_NAMES.get(name, name): member for name, member in tree.items()})


def api_response(tree: Tree) -> str:
    """What ``aws pcs get-compute-node-group`` prints."""
    return json.dumps({"computeNodeGroup": tree})


def names_of(spelled: Spelling, groups: Groups, types: Types | None = None) -> dict[str, str]:
    """The address of each group -> its name."""
    if spelled == "cloudformation":
        return {name: name for name in groups}
    return {f"{_type(name, tree, types)}.{name}": name for name, tree in groups.items()}


def _spelled(spec: FieldSpec, value: Any, later: Any, text: Any = str) -> Any:
    if value is UNKNOWN:
        return later
    if isinstance(value, dict):
        if spec.kind == "map":
            assert spec.item is not None
            return {text(key): _spelled(spec.item, member, later, text) for key, member in value.items()}
        fields = {field.name: field for field in spec.fields}
        members: dict[str, Any] = {}
        for name, member in value.items():
            field = fields.get(name)
            if field is None:  # a mistake that the group is about
                members[name] = member
            elif member is not KEPT:
                members[field.written] = _spelled(field, member, later, text)
        return members
    if isinstance(value, list):
        assert spec.item is not None
        return [_spelled(spec.item, item, later, text) for item in value]
    return text(value) if isinstance(value, str) else value


def _marked(value: Any) -> Any:
    if value is UNKNOWN:
        return _MARK
    if isinstance(value, dict):
        return {key: _marked(member) for key, member in value.items() if member is not KEPT}
    return [_marked(item) for item in value] if isinstance(value, list) else value
