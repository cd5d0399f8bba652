"""The service: from a request to an answer, without any HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from pcs_bridge.endpoint import faults, instances, protocol
from pcs_bridge.endpoint.call import Call
from pcs_bridge.endpoint.clock import Clock
from pcs_bridge.endpoint.ec2 import Ec2
from pcs_bridge.endpoint.errors import Reason, ServiceError, internal, invalid, invalid_fields
from pcs_bridge.endpoint.faults import Faults, Met, WrongFault
from pcs_bridge.endpoint.idempotency import Token
from pcs_bridge.endpoint.operations import HANDLERS
from pcs_bridge.endpoint.pagination import Pages
from pcs_bridge.endpoint.protocol import Answer
from pcs_bridge.endpoint.status import Delays, Failure, never, settle
from pcs_bridge.endpoint.store import CannotKeep, Store
from pcs_contract.limits import problems, without_nulls
from pcs_contract.shapes import Operation

Before = Callable[[str, Mapping[str, Any]], None]
"""Called with each valid request, its operation and parameters; may raise ServiceError, or wait."""


class Service:
    """AWS PCS, as far as its control plane can be seen from outside. Threads may share it."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        switches: Mapping[str, str],
        ec2: Ec2,
        delays: Delays | None = None,
        failure: Failure = never,
        before: Before | None = None,
    ) -> None:
        self.switches: Final = switches
        self.faults = Faults()
        """What goes wrong from now on. Another one may take its place at any time."""
        self._store: Final = store
        self._clock: Final = clock
        self._ec2: Final = ec2
        self._delays: Final = delays or Delays()
        self._failure: Final = failure
        self._before: Final = before
        self._pages: Final = Pages()

    def answer(
        self,
        method: str,
        target: str | None,
        content_type: str | None,
        body: bytes,
        region: str,
        own_faults: str | None = None,
    ) -> Answer:
        """Answer a request that is signed for this service. `own_faults` is the plan it brings. Never raises."""
        met = faults.NOTHING
        try:
            request = protocol.parse(method, target, content_type, body)
            parameters = without_nulls(request.parameters)
            found = list(problems(request.operation.input, parameters))
            if found:
                raise invalid_fields(found)
            met = self._meet(request.operation, parameters, region, own_faults)
            answer = protocol.success(self._perform(request.operation, parameters, region, met))
        except ServiceError as error:
            answer = self.refuse(error)
        except CannotKeep as failure:
            print(f"pcsguard local: {failure}", file=sys.stderr)
            answer = self.refuse(internal())
        except Exception as defect:
            # The type and place only: a message could hold anything of the request, or a cluster's secret.
            print(f"pcsguard local: internal error: {_place(defect)}", file=sys.stderr)
            answer = self.refuse(internal())
        return answer._replace(delay=met.latency, dropped=met.dropped)

    def refuse(self, error: ServiceError) -> Answer:
        """The answer that is an error, in the form that the switches choose."""
        return protocol.failure(error, self.switches)

    def instances(self) -> list[dict[str, Any]]:
        """All registered instances, as `GET /_pcsguard/instances` shows them."""
        with self._store.transaction() as transaction:
            settle(transaction, self._clock.now())
            return instances.listing(transaction)

    def terminate(self, instance: str, failed: bool) -> bool:
        """Terminate an instance by its id here; False when there is none."""
        with self._store.transaction() as transaction:
            settle(transaction, self._clock.now())
            return instances.terminate(transaction, instance, failed)

    def _meet(self, operation: Operation, parameters: Mapping[str, Any], region: str, own: str | None) -> Met:
        in_force = self.faults
        if not in_force.plan and own is None:
            return faults.NOTHING
        try:
            entries = None if own is None else faults.parse(own)
        except WrongFault as wrong:
            raise invalid(f"The header {faults.HEADER} is wrong: {wrong}.", Reason.OTHER) from None
        with self._store.transaction() as transaction:
            subject = faults.subject(parameters, region, transaction)
        return in_force.meet(operation.name, subject, entries)

    def _perform(self, operation: Operation, parameters: Mapping[str, Any], region: str, met: Met) -> Mapping[str, Any]:
        if met.error is not None:
            raise met.error
        if self._before is not None:
            self._before(operation.name, parameters)
        token = Token(operation, parameters, region)
        with self._store.transaction() as transaction:
            now = self._clock.now()
            settle(transaction, now)
            repeated = token.answer(transaction)
            if repeated is not None:
                return repeated
            call = Call(
                operation=operation.name,
                parameters=parameters,
                region=region,
                transaction=transaction,
                now=now,
                switches=self.switches,
                delays=self._delays,
                failure=faults.failure if met.fails else self._failure,
                pages=self._pages,
                ec2=self._ec2,
            )
            answer = HANDLERS[operation.name](call)
            token.remember(transaction, answer, now)
            return answer


def _place(defect: Exception) -> str:
    trace = defect.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" in {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    return f"{type(defect).__name__}{where}"
