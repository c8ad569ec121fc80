# Generated from _async by scripts/generate.py; do not edit.
"""Sends one request to the service, enforces the timeout, and retries where that is safe."""

import random
import time
from typing import Any, Mapping, Optional

from .._answer import read_answer, refuse_redirect, too_large
from .._sync_io import Connection, Pool
from .._http import ClosedEarly, Head, ProtocolError, ResponseReader
from .._retry import may_repeat, wait_seconds
from .._settings import (
    STREAM_SILENCE_SECONDS,
    Deadline,
    Expired,
    Settings,
    keep_alive_seconds,
    positive,
    reason_of,
    whole_number,
)
from .._wire import Request, written
from ..errors import ConnectionError, KeepsakeError, TimeoutError, UnexpectedAnswerError


class Transport:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool = Pool(settings)
        # Replaced by tests.
        self._sleep = self._pool.sleep
        self._random = random.random

    @property
    def address(self) -> str:
        return str(self._settings.address)

    @property
    def has_api_key(self) -> bool:
        return self._settings.api_key is not None

    @property
    def is_closed(self) -> bool:
        return self._pool.is_closed

    def send(self, request: Request, timeout_seconds: Optional[float], max_retries: Optional[int]) -> Any:
        settings = self._settings
        retries = settings.max_retries if max_retries is None else whole_number("max_retries", max_retries)
        deadline = Deadline(
            settings.timeout_seconds if timeout_seconds is None else positive("timeout_seconds", timeout_seconds)
        )
        data = self._written(request, {})
        attempt = 0
        while True:
            try:
                head, body = self._exchange(data, deadline)
                return read_answer(head, body, request.also_answer, time.time())
            except KeepsakeError as error:
                if attempt >= retries or self.is_closed or not may_repeat(request.repeat, error):
                    raise
                wait = wait_seconds(attempt, error, self._random())
                # No point in waiting past the deadline: the error says when to retry.
                if wait >= deadline.left():
                    raise
            self._sleep(wait)
            attempt += 1

    def open_stream(self, path: str, query: Mapping[str, Any], last_event_id: Optional[str]) -> "Stream":
        """Opens an event stream; raises if the service refuses."""
        extra = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        data = self._written(Request("GET", path, "never", query), {"Accept": "text/event-stream", **extra})
        deadline = Deadline(self._settings.timeout_seconds)
        connection = self._take(deadline)
        try:
            exchange = _Exchange(self._settings, connection)
            head, part = exchange.begin(data, deadline)
            if 200 <= head.status < 300 and head.headers.get("content-type", "").startswith("text/event-stream"):
                return Stream(self._pool, connection, exchange, part)
            body = exchange.rest(head, part, deadline)
        except BaseException:
            self._pool.discard(connection)
            raise
        self._pool.discard(connection)
        read_answer(head, body, None, time.time())
        raise UnexpectedAnswerError("The response is not an event stream: is the service older than this client?")

    def pause(self, attempt: int, error: KeepsakeError) -> None:
        self._sleep(wait_seconds(attempt, error, self._random()))

    def close(self) -> None:
        self._pool.close()

    def _written(self, request: Request, extra: Mapping[str, str]) -> bytes:
        return written(self._settings.address, self._settings.api_key, request, extra)

    def _exchange(self, data: bytes, deadline: Deadline) -> "tuple[Head, bytes]":
        connection = self._take(deadline)
        try:
            exchange = _Exchange(self._settings, connection)
            head, part = exchange.begin(data, deadline)
            body = exchange.rest(head, part, deadline)
        except BaseException:
            # Also if the call was cancelled: the rest of its answer must not become the answer to another request.
            self._pool.discard(connection)
            raise
        if exchange.reader.is_reusable:
            self._pool.put_back(connection, keep_alive_seconds(head.headers.get("keep-alive")))
        else:
            self._pool.discard(connection)
        return head, body

    def _take(self, deadline: Deadline) -> Connection:
        if self.is_closed:
            raise ConnectionError("The client was closed")
        try:
            return self._pool.take(deadline.left())
        except Expired:
            raise _timed_out(deadline) from None
        except (OSError, UnicodeError) as error:
            raise ConnectionError(f"No answer from {self.address}{reason_of(error)}") from error


class _Exchange:
    """One request and its response."""

    def __init__(self, settings: Settings, connection: Connection) -> None:
        self._settings = settings
        self._connection = connection
        self.reader = ResponseReader()

    def begin(self, data: bytes, deadline: Deadline) -> "tuple[Head, bytes]":
        """The headers, and the part of the body that came with them."""
        try:
            self._connection.send(data, deadline.left())
        except Expired:
            raise _timed_out(deadline) from None
        except OSError as error:
            raise self._broken(error) from error
        part = b""
        while self.reader.head is None:
            part += self.part(deadline.left(), deadline)
        refuse_redirect(self.reader.head, time.time())
        return self.reader.head, part

    def rest(self, head: Head, part: bytes, deadline: Deadline) -> bytes:
        limit = self._settings.max_answer_bytes
        body = bytearray(part)
        while len(body) <= limit and not self.reader.is_complete:
            body += self.part(deadline.left(), deadline)
        if len(body) > limit:
            raise too_large(head, limit, time.time())
        return bytes(body)

    def part(self, timeout: float, deadline: Deadline) -> bytes:
        try:
            data = self._connection.receive(timeout)
            if data:
                return self.reader.feed(data)
            self.reader.end()
            return b""
        except Expired:
            raise _timed_out(deadline) from None
        except ClosedEarly as error:
            raise ConnectionError("The connection closed before the response was complete") from error
        except ProtocolError as error:
            raise UnexpectedAnswerError(f"The response is not HTTP/1.1: {error}") from error
        except OSError as error:
            raise self._broken(error) from error

    def _broken(self, error: OSError) -> KeepsakeError:
        return ConnectionError(f"No complete answer from {self._settings.address}{reason_of(error)}")


class Stream:
    """The body of an event stream."""

    def __init__(self, pool: Pool, connection: Connection, exchange: _Exchange, part: bytes) -> None:
        self._pool = pool
        self._connection = connection
        self._exchange = exchange
        self._part = part

    def read(self) -> bytes:
        """The next part; empty at the end."""
        part, self._part = self._part, b""
        while part == b"" and not self._exchange.reader.is_complete:
            try:
                part = self._exchange.part(STREAM_SILENCE_SECONDS, Deadline(STREAM_SILENCE_SECONDS))
            except TimeoutError as error:
                raise ConnectionError("The event stream fell silent") from error
        return part

    def close(self) -> None:
        self._pool.discard(self._connection)


def _timed_out(deadline: Deadline) -> KeepsakeError:
    return TimeoutError(f"No complete response within {deadline.seconds:g} seconds")


