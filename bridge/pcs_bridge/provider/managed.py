"""The life of a resource of any kind: plan, create, read, update, delete."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from pcs_bridge.plugin import planning
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed, error
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.provider import Call, Resource
from pcs_bridge.plugin.values import Object, Unknown
from pcs_bridge.provider import changes, failures, meaning, schemas, tags, timeouts, waiting
from pcs_bridge.provider.client import Client, Interrupted
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.names import from_api
from pcs_bridge.provider.settings import Settings
from pcs_bridge.provider.waiting import TookTooLong

Check = Callable[[Kind, Object], Iterable[Diagnostic]]


class Connection:
    """What resources share once the provider is configured."""

    def __init__(self, settings: Settings, client: Callable[[], Client]) -> None:
        self.settings: Final = settings
        self.client: Final = client

    @property
    def default_tags(self) -> dict[str, str]:
        known = self.settings.default_tags
        return {} if isinstance(known, Unknown) else known


class Managed(Resource):
    """A resource type. `connection` gives what the provider block configured, `check` what PCS would refuse."""

    def __init__(self, kind: Kind, connection: Callable[[], Connection], check: Check) -> None:
        self.schema = schemas.resource(kind)
        self._kind: Final = kind
        self._connection: Final = connection
        self._check: Final = check

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        yield from self._check(self._kind, config)
        yield from timeouts.problems(config)

    def plan(self, config: Object, prior: Object | None, call: Call) -> Planned:
        everything = tags.merged(config.get(tags.OWN), self._connection().settings.default_tags)
        return planning.plan(self.schema, {**config, tags.ALL: everything}, prior)

    def create(self, planned: Object, config: Object, call: Call) -> Object:
        connection, kind = self._connection(), self._kind
        all_tags = tags.merged(planned.get(tags.OWN), connection.default_tags)
        request = changes.creation(kind, planned, all_tags)
        with self._told(f"create the {kind.noun}"):
            made = connection.client().call(f"Create{kind.operation}", request, call)[kind.member]
        state = self._state(planned, made, all_tags)
        return self._finished("create", state, planned, all_tags, call)

    def read(self, state: Object, call: Call) -> Object | None:
        with self._told(f"read the {self._kind.noun}"):
            current = self._current(state, call)
            if current is None:
                return None
            answer = self._connection().client().call("ListTagsForResource", {"resourceArn": current["arn"]}, call)
        fields = {
            field.written: meaning.settled(field, state.get(field.written), from_api(field, current.get(name)))
            for name, field in self._kind.fields.items()
            if name != tags.OWN
        }
        # A cluster may be named by its name, where responses have its id.
        named = {field.written: state.get(field.written) or fields[field.written] for field in self._by_reference()}
        found_tags = tags.read(state, self._connection().default_tags, answer.get("tags") or {})
        return {**state, **fields, **named, **found_tags, "id": current["arn"]}

    def update(self, prior: Object, planned: Object, config: Object, call: Call) -> Object:
        connection, kind = self._connection(), self._kind
        state = prior
        request = changes.update(kind, prior, planned)
        all_tags = tags.merged(planned.get(tags.OWN), connection.default_tags)
        identity = changes.identification(kind, prior)
        if request:
            with self._told(f"update the {kind.noun}"):
                made = connection.client().call(f"Update{kind.operation}", {**identity, **request}, call)[kind.member]
            state = self._state(planned, made, prior.get(tags.ALL) or {})
            state = self._finished("update", state, planned, prior.get(tags.ALL) or {}, call)
        self._tag(state, tags.difference(prior.get(tags.ALL) or {}, all_tags), call)
        with self._told(f"read the {kind.noun}"):
            current = self._current(prior, call)
        return self._state(planned, current or {}, all_tags)

    def delete(self, prior: Object, call: Call) -> None:
        connection, kind = self._connection(), self._kind
        deadline = time.monotonic() + timeouts.seconds(prior, "delete")
        with self._told(f"delete the {kind.noun}"):
            try:
                connection.client().call(f"Delete{kind.operation}", changes.identification(kind, prior), call)
            except ClientError as failure:
                if failures.code_of(failure) == failures.NOT_FOUND:
                    return
                raise
            left = waiting.until(lambda: self._current(prior, call), deadline, call)
        if left is not None:
            raise Failed(_failed(kind, "delete", left))

    def _finished(self, operation: str, state: Object, planned: Object, all_tags: dict[str, str], call: Call) -> Object:
        """The state when an operation is over. Raises Failed, with the state so far, when it did not end well."""
        kind = self._kind
        deadline = time.monotonic() + timeouts.seconds(planned, operation)
        with self._told(f"{operation} the {kind.noun}", state):
            current = waiting.until(lambda: self._current(state, call), deadline, call)
        if current is None:
            raise Failed(error(f"The {kind.noun} is gone", "It was deleted while terraform waited for it."))
        state = self._state(planned, current, all_tags)
        if current["status"] != "ACTIVE":
            raise Failed(_failed(kind, operation, current), state=state)
        return state

    def _state(self, planned: Object, current: dict[str, Any], all_tags: dict[str, str]) -> Object:
        """The state after a change: what was planned, and what only PCS knows."""
        computed = {
            field.written: from_api(field, current.get(name))
            for name, field in self._kind.fields.items()
            if name in self._kind.read_only
        }
        return {**planned, **computed, tags.ALL: all_tags, "id": current.get("arn")}

    def _current(self, state: Object, call: Call) -> dict[str, Any] | None:
        """The resource as PCS has it; None when it is gone."""
        kind = self._kind
        try:
            answer = self._connection().client().call(f"Get{kind.operation}", changes.identification(kind, state), call)
        except ClientError as failure:
            if failures.code_of(failure) == failures.NOT_FOUND:
                return None
            raise
        found: dict[str, Any] = answer[kind.member]
        return found

    def _tag(self, state: Object, difference: tags.Difference, call: Call) -> None:
        with self._told(f"change the tags of the {self._kind.noun}", state):
            client, arn = self._connection().client(), state["arn"]
            if difference.removed:
                client.call("UntagResource", {"resourceArn": arn, "tagKeys": difference.removed}, call)
            if difference.set:
                client.call("TagResource", {"resourceArn": arn, "tags": difference.set}, call)

    def _by_reference(self) -> Iterable[Any]:
        """The fields that name another resource."""
        return [self._kind.fields[name] for name in self._kind.identifiers.values() if name != "id"]

    @contextmanager
    def _told(self, doing: str, state: Object | None = None) -> Iterator[None]:
        """Turn what goes wrong into diagnostics; `state` is what exists by then."""
        try:
            yield
        except (ClientError, BotoCoreError) as failure:
            raise Failed(*failures.diagnostics(failure, self._kind, doing), state=state) from failure
        except Interrupted:
            raise Failed(_interrupted(doing), state=state) from None
        except TookTooLong as late:
            raise Failed(_late(doing, str(late)), state=state) from None


def _failed(kind: Kind, operation: str, current: dict[str, Any]) -> Diagnostic:
    said = [f"{info.get('code', '')}: {info.get('message', '')}" for info in current.get("errorInfo") or ()]
    reasons = " ".join(said) or "AWS gives no reason."
    return error(f"The {kind.noun} is {current['status']} after {operation}", reasons)


def _interrupted(doing: str) -> Diagnostic:
    return error(
        "Interrupted",
        f"Terraform was told to stop while AWS PCS was asked to {doing}. What exists by now is recorded; run terraform "
        "again to go on.",
    )


def _late(doing: str, status: str) -> Diagnostic:
    return error(
        f"AWS PCS did not {doing} in time",
        f"The status is still {status}. It may yet come to its end: run terraform again later, or set a longer time in "
        "`timeouts`.",
    )
