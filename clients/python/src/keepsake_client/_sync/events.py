# Generated from _async by scripts/generate.py; do not edit.
import json
from typing import Any, Iterator, Dict, Literal, Optional, TypedDict, Union

from .._event_stream import EventParser, ServerEvent
from ..api_types import MemoryEvent
from ..errors import (
    AuthenticationError,
    ConnectionError,
    KeepsakeError,
    RateLimitError,
    TimeoutError,
    UnavailableError,
    UnexpectedAnswerError,
)
from .transport import Transport

class MissedEvents(TypedDict):
    """Some events were deleted before they could be read: list the memories again."""

    id: str
    type: Literal["events.missed"]
    time: str


Event = Union[MemoryEvent, MissedEvents]

#: Failures that may be over at the next attempt. Opening the stream can also take too long.
_PASSING = (ConnectionError, UnavailableError, RateLimitError, TimeoutError)


def follow(
    transport: Transport, scope: Dict[str, Any], since: Optional[str]
) -> "Iterator[Event]":
    """Yields events as they happen until the client is closed.

    Reconnects after a lost connection and continues after the last event read. Raises only errors that a retry would not fix.
    """
    last_id = since
    failures = 0
    while not transport.is_closed:
        try:
            stream = transport.open_stream("/events", scope, last_id)
            try:
                parser = EventParser()
                is_open = True
                while is_open:
                    data = stream.read()
                    is_open = data != b""
                    for event in parser.feed(data):
                        failures = 0
                        if event.type == "events.closed":
                            _check_reason(_data(event))
                            is_open = False
                            break
                        if event.id is not None:
                            last_id = event.id
                        if event.type != "events.opened":
                            yield _data(event)
            finally:
                stream.close()
            # The service closed the stream because it is stopping. It may be back in a moment.
            transport.pause(0, ConnectionError("ended"))
        except _PASSING as error:
            if transport.is_closed:
                return
            transport.pause(failures, error)
            failures += 1


def _data(event: ServerEvent) -> Any:
    try:
        return json.loads(event.data)
    except (ValueError, RecursionError) as error:
        raise UnexpectedAnswerError("An event is not JSON") from error


def _check_reason(closed: Any) -> None:
    reason = closed.get("reason") if isinstance(closed, dict) else None
    error: Optional[KeepsakeError] = None
    if reason == "key_revoked":
        error = AuthenticationError("The API key was revoked")
    if reason == "key_expired":
        error = AuthenticationError("The API key has expired")
    if error is not None:
        raise error
