"""The life of a resource of any kind: plan, create, read, update, delete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from pcs_bridge.plugin import planning
from pcs_bridge.plugin.diagnostics import Diagnostic, Failed
from pcs_bridge.plugin.paths import Step
from pcs_bridge.plugin.planning import Planned
from pcs_bridge.plugin.provider import Call, MovedFrom, Resource
from pcs_bridge.plugin.values import Object, wholly_known
from pcs_bridge.provider import adoption, changes, client_token, failures, meaning, schemas, tags, timeouts
from pcs_bridge.provider.connection import Connection
from pcs_bridge.provider.kinds import Kind
from pcs_bridge.provider.names import from_api, to_api
from pcs_bridge.provider.remote import Remote
from pcs_bridge.provider.waiting import Interrupted, TookTooLong

Check = Callable[[Kind, Object], Iterable[Diagnostic]]
"""Says what PCS would refuse of a configuration of a kind."""


class Managed(Resource):
    """A resource type. `connection` gives what the provider block configured."""

    def __init__(self, kind: Kind, check: Check, connection: Callable[[], Connection]) -> None:
        self.schema = schemas.resource(kind)
        self._kind: Final = kind
        self._check: Final = check
        self._connection: Final = connection
        self._computed: Final = ("id", *(kind.fields[name].written for name in kind.read_only))

    def validate(self, config: Object) -> Iterable[Diagnostic]:
        yield from self._check(self._kind, config)
        yield from timeouts.problems(config)

    def plan(self, config: Object, prior: Object | None, call: Call) -> Planned:
        wanted = {**config, tags.ALL: tags.merged(config.get(tags.OWN), self._connection().default_tags)}
        if prior is not None and call.private == adoption.NOTE:
            if self._same(wanted, prior):
                wanted = adoption.worded(self._kind, wanted, prior)
            else:
                call.private = b""  # what is sent anyway is sent, and kept, in the author's words
        planned = planning.plan(self.schema, wanted, prior)
        if prior is None or planned.state is prior:
            return planned
        if self._same(planned.state, prior):
            # PCS is asked nothing, so nothing that it sets can change.
            return Planned({**planned.state, **{name: prior[name] for name in self._computed}})
        replace = tuple(path for path in planned.replace if not self._field_same(path[0], planned.state, prior))
        return planned._replace(replace=replace)

    def create(self, planned: Object, config: Object, call: Call) -> Object:
        remote, deadline = self._connection().remote(self._kind), timeouts.deadline(planned, "create")
        request = changes.creation(self._kind, planned, planned[tags.ALL])
        # What answers to a token that was used before may have been deleted since.
        for token in (client_token.of_create(self._kind.type_name, request), None):
            with self._told("create"):
                answer = remote.change("Create", request, deadline, call, token)
            state = self._state(planned, answer[self._kind.member])
            with self._told("create", state, answer):
                current = remote.over(changes.identification(self._kind, state), deadline, call, new=True)
            if current is not None:
                break
        return self._state(planned, self._ended("create", state, current, answer))

    def read(self, state: Object, call: Call) -> Object | None:
        remote = self._connection().remote(self._kind)
        with self._told("read"):
            current = remote.get(changes.identification(self._kind, state), call)
            if current is None:
                return None
            return self._observed(state, current, remote.tags(current["arn"], call))

    def update(self, prior: Object, planned: Object, config: Object, call: Call) -> Object:
        if self._same(planned, prior):
            return planned
        remote = self._connection().remote(self._kind)
        identity = changes.identification(self._kind, prior)
        request = changes.update(self._kind, prior, planned)
        state = prior
        if request:
            state = self._changed(remote, prior, planned, {**identity, **request}, call)
        with self._told("change the tags of", state):
            remote.tag(prior["arn"], tags.difference(prior[tags.ALL] or {}, planned[tags.ALL]), call)
        with self._told("read", state):
            current = remote.get(identity, call)
        if current is None:
            raise Failed(failures.vanished(self._kind, "update"), state=state)
        return self._state(planned, current)

    def _changed(
        self, remote: Remote, prior: Object, planned: Object, request: Mapping[str, Any], call: Call
    ) -> Object:
        """The state after an Update, with the tags that there were before."""
        deadline = timeouts.deadline(planned, "update")
        with self._told("update"):
            answer = remote.change("Update", request, deadline, call)
        before = {name: prior[name] for name in (tags.OWN, tags.ALL)}
        state = {**self._state(planned, answer[self._kind.member]), **before}
        with self._told("update", state, answer):
            current = remote.over(changes.identification(self._kind, prior), deadline, call)
        return {**self._state(planned, self._ended("update", state, current, answer)), **before}

    def delete(self, prior: Object, call: Call) -> None:
        remote, deadline = self._connection().remote(self._kind), timeouts.deadline(prior, "delete")
        identity = changes.identification(self._kind, prior)
        answer: dict[str, Any] = {}
        with self._told("delete"):
            try:
                answer = remote.change("Delete", identity, deadline, call)
            except ClientError as failure:
                if failures.code_of(failure) == failures.NOT_FOUND:
                    return
                raise
            left = remote.over(identity, deadline, call)
        if left is not None:
            raise Failed(failures.ended_badly(self._kind, "delete", left, answer))

    def import_(self, identifier: str, call: Call) -> Object:
        call.private = adoption.NOTE
        return adoption.imported(self._kind, identifier)

    def move(self, source: MovedFrom, call: Call) -> Object | None:
        if not adoption.is_own(source, self._kind.type_name):
            call.private = adoption.NOTE
        return adoption.moved(self._kind, self.schema, source)

    def _state(self, planned: Object, current: Mapping[str, Any]) -> Object:
        """The state after a change: what was planned, and what only PCS knows."""
        computed = {
            field.written: from_api(field, self._kind.shown(current, name))
            for name, field in self._kind.fields.items()
            if name in self._kind.read_only
        }
        return {**planned, **computed, "id": current["arn"]}

    def _ended(
        self, operation: str, state: Object, current: Mapping[str, Any] | None, answer: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The resource when an operation is over. Raises Failed, with what there is, when it did not end well."""
        if current is None:
            raise Failed(failures.vanished(self._kind, operation), state=state)
        if current["status"] in failures.BAD_ENDS:
            there = self._observed(state, current, state[tags.ALL] or {})
            raise Failed(failures.ended_badly(self._kind, operation, current, answer), state=there)
        return current

    def _observed(self, state: Object, current: Mapping[str, Any], all_tags: Mapping[str, str]) -> Object:
        """The state as it is now, in the words of the last one where they mean the same."""
        fields = {
            field.written: meaning.settled(
                self._kind, field, state.get(field.written), from_api(field, self._kind.shown(current, name))
            )
            for name, field in self._kind.fields.items()
            if name != tags.OWN
        }
        if self._kind.parent is not None:
            # Responses have the id of the cluster, where the author may have its name.
            parent = self._kind.fields[self._kind.parent].written
            fields[parent] = state.get(parent) or fields[parent]
        return {**state, **fields, **tags.read(state, self._connection().default_tags, all_tags), "id": current["arn"]}

    def _same(self, planned: Object, prior: Object) -> bool:
        """Whether PCS has everything already that is planned, though maybe in other words."""
        return bool(planned[tags.ALL] == prior[tags.ALL]) and all(
            self._field_same(field.written, planned, prior)
            for field in self._kind.settable
            if field.written != tags.OWN  # whose tags they are makes no difference
        )

    def _field_same(self, name: Step, planned: Object, prior: Object) -> bool:
        """Whether a change at a top-level attribute is one of words only, which replaces nothing.

        Such as a list in another order, or the id of the cluster where its name was.
        """
        field = next(field for field in self._kind.settable if field.written == name)
        after, before = planned[field.written], prior[field.written]
        if not wholly_known(after):
            return False
        if field.name == self._kind.parent and f":cluster/{after}/" in str(prior["arn"]):
            return True
        return meaning.same(self._kind, field, to_api(field, before), to_api(field, after))

    @contextmanager
    def _told(
        self, operation: str, state: Object | None = None, answer: Mapping[str, Any] | None = None
    ) -> Iterator[None]:
        """Turn what goes wrong into diagnostics.

        `state` is what exists by then, `answer` that of the call with which the operation began.
        """
        try:
            yield
        except (ClientError, BotoCoreError) as failure:
            raise Failed(*failures.refused(failure, self._kind, operation), state=state) from failure
        except Interrupted:
            raise Failed(failures.interrupted(self._kind, operation), state=state) from None
        except TookTooLong as late:
            raise Failed(failures.late(self._kind, operation, str(late), answer or {}), state=state) from None
