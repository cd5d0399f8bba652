"""Data sources: resources of any kind, looked up by id or by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error
from pcs_bridge.plugin.provider import Call, DataSource
from pcs_bridge.plugin.values import Object, Unknown
from pcs_bridge.provider import failures, schemas, tags
from pcs_bridge.provider.connection import Connection
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.names import from_api
from pcs_bridge.provider.waiting import Interrupted


class Lookup(DataSource):
    """A data source. `connection` gives what the provider block configured."""

    def __init__(self, kind: Kind, connection: Callable[[], Connection]) -> None:
        self.schema = schemas.data_source(kind)
        self._kind: Final = kind
        self._connection: Final = connection
        self._own: Final = tuple(kind.fields[name].written for name in schemas.CHOICE)

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        given = [config[name] for name in self._own if config.get(name) is not None]
        if len(given) != 1 and not any(isinstance(value, Unknown) for value in given):
            yield error(
                f"Which {self._kind.noun}?", f"Give either {' or '.join(self._own)}: it says which {self._kind.noun}."
            )

    def read(self, config: Object, call: Call) -> Object:
        kind, remote = self._kind, self._connection().remote(self._kind)
        named = next((config[name] for name in self._own if config.get(name) is not None), "")
        identity = {
            member: named if name == "id" else config[kind.fields[name].written]
            for member, name in kind.identifiers.items()
        }
        try:
            found = remote.get(identity, call)
            if found is None:
                where = "" if kind.parent is None else f" in the cluster {identity['clusterIdentifier']}"
                raise Failed(error(f"There is no such {kind.noun}", f"AWS PCS has no {kind.noun} {named}{where}."))
            all_tags = remote.tags(found["arn"], call)
        except (ClientError, BotoCoreError) as failure:
            raise Failed(*failures.refused(failure, kind, "read")) from failure
        except Interrupted:
            raise Failed(failures.interrupted(kind, "read")) from None
        fields = {field.written: from_api(field, kind.shown(found, name)) for name, field in kind.fields.items()}
        # What the author wrote stays: responses have the id of a cluster, where its name may have been given.
        written = {name: value for name, value in config.items() if value is not None}
        return {**fields, tags.OWN: all_tags, "id": found["arn"], **written}
