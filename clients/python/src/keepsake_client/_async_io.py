"""Connections for the asynchronous client: asyncio transports, each used by one task at a time."""

import asyncio
import os
import time
from typing import Any, Dict, List, Optional, Set, Tuple

from ._settings import MAX_IDLE_CONNECTIONS, Expired, Settings

#: More than this is not read ahead.
_MAX_BUFFER_BYTES = 256 * 1024


class Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._received = bytearray()
        self._is_over = False
        self._failure: Optional[Exception] = None
        self._waiter: "Optional[asyncio.Future[None]]" = None
        self.usable_until = 0.0

    # Called by asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > _MAX_BUFFER_BYTES:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._is_over = True
        self._wake()
        # asyncio closes the transport.
        return False

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._is_over = True
        self._failure = exc
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # Called by the client.

    async def send(self, data: bytes, timeout: float) -> None:
        if timeout <= 0:
            raise Expired
        self._transport.write(data)

    async def receive(self, timeout: float) -> bytes:
        """Empty at the end."""
        if not self._received and not self._is_over:
            if timeout <= 0:
                raise Expired
            self._waiter = self._loop.create_future()
            timer = self._loop.call_later(timeout, self._wake)
            try:
                await self._waiter
            finally:
                timer.cancel()
                self._waiter = None
        if self._received:
            data = bytes(self._received)
            self._received.clear()
            if not self._is_over:
                self._transport.resume_reading()
            return data
        if not self._is_over:
            raise Expired
        if self._failure is not None:
            raise self._failure
        return b""

    def is_quiet(self) -> bool:
        """Whether the server has sent nothing since the last response, not even the end of the connection."""
        return not self._received and not self._is_over and not self._transport.is_closing()

    def abort(self) -> None:
        if not self._loop.is_closed():
            self._transport.abort()

    def wake(self) -> None:
        """Ends a read of another task."""
        self.abort()


_Connections = Tuple[List[Connection], Set[Connection]]


class Pool:
    """The connections of a client, separate for each event loop. Processes do not share it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.is_closed = False
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        #: Idle and busy connections.
        self._loops: Dict[asyncio.AbstractEventLoop, _Connections] = {}

    def _own(self) -> _Connections:
        # After a fork, both processes have the same sockets. Sharing them would give one the answers of the other.
        if self._process != os.getpid():
            self._start()
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            # What a finished loop left behind can't be used again.
            self._loops = {other: own for other, own in self._loops.items() if not other.is_closed()}
            self._loops[loop] = ([], set())
        return self._loops[loop]

    async def take(self, timeout: float) -> Connection:
        """A connection that nobody else uses."""
        idle, busy = self._own()
        while idle:
            connection = idle.pop()
            if time.monotonic() < connection.usable_until and connection.is_quiet():
                break
            connection.abort()
        else:
            connection = await self._connect(timeout)
        busy.add(connection)
        return connection

    def put_back(self, connection: Connection, idle_seconds: float) -> None:
        """The connection can serve another request."""
        idle, busy = self._own()
        busy.discard(connection)
        connection.usable_until = time.monotonic() + idle_seconds
        if self.is_closed or len(idle) >= MAX_IDLE_CONNECTIONS:
            connection.abort()
        else:
            idle.append(connection)

    def discard(self, connection: Connection) -> None:
        self._own()[1].discard(connection)
        connection.abort()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        self.is_closed = True
        idle, busy = self._own()
        for connection in [*idle, *busy]:
            connection.wake()
        idle.clear()
        # Transports close in the next round of the loop.
        await asyncio.sleep(0)

    async def _connect(self, timeout: float) -> Connection:
        address, context = self._settings.address, self._settings.ssl_context
        if timeout <= 0:
            raise Expired
        loop = asyncio.get_running_loop()
        connecting = asyncio.ensure_future(
            loop.create_connection(
                Connection,
                address.host,
                address.port,
                ssl=context,
                server_hostname=None if context is None else address.host,
            )
        )
        try:
            # Not `wait_for`: before Python 3.12 it can lose a cancellation, or the connection.
            await asyncio.wait({connecting}, timeout=timeout)
        except asyncio.CancelledError:
            _give_up(connecting)
            raise
        if not connecting.done():
            _give_up(connecting)
            raise Expired
        connection: Connection = connecting.result()[1]
        return connection


def _give_up(connecting: "asyncio.Future[Any]") -> None:
    def close(done: "asyncio.Future[Any]") -> None:
        if not done.cancelled() and done.exception() is None:
            done.result()[1].abort()

    connecting.cancel()
    connecting.add_done_callback(close)
