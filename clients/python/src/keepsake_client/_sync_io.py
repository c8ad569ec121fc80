"""Connections for the synchronous client: sockets, each used by one thread at a time."""

import os
import select
import socket
import ssl
import threading
import time
from typing import List, Optional, Set

from ._settings import MAX_IDLE_CONNECTIONS, Expired, Settings


class Connection:
    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self.usable_until = 0.0

    def send(self, data: bytes, timeout: float) -> None:
        self._set_timeout(timeout)
        try:
            self._socket.sendall(data)
        except socket.timeout:
            raise Expired from None
        except (BrokenPipeError, ConnectionResetError):
            # The server may have answered before it had read everything. Reading tells.
            pass

    def receive(self, timeout: float) -> bytes:
        """Empty at the end."""
        self._set_timeout(timeout)
        try:
            return self._socket.recv(65536)
        except socket.timeout:
            raise Expired from None
        except ssl.SSLEOFError:
            return b""

    def is_quiet(self) -> bool:
        """Whether the server has sent nothing since the last response, not even the end of the connection."""
        try:
            if hasattr(select, "poll"):
                poll = select.poll()
                poll.register(self._socket, select.POLLIN)
                return not poll.poll(0)
            return not select.select([self._socket], [], [], 0)[0]
        except (OSError, ValueError):
            return False

    def abort(self) -> None:
        self._socket.close()

    def wake(self) -> None:
        """Ends a read of another thread."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It was closed already.
            pass

    def _set_timeout(self, timeout: float) -> None:
        if timeout <= 0:
            raise Expired
        self._socket.settimeout(timeout)


class Pool:
    """The connections of a client. Threads share it; processes do not."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._idle: List[Connection] = []
        self._busy: Set[Connection] = set()
        self._closed = threading.Event()

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def take(self, timeout: float) -> Connection:
        """A connection that nobody else uses."""
        self._check_process()
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = Connection(self._connect(timeout))
                break
            if time.monotonic() < connection.usable_until and connection.is_quiet():
                break
            connection.abort()
        with self._lock:
            self._busy.add(connection)
        return connection

    def put_back(self, connection: Connection, idle_seconds: float) -> None:
        """The connection can serve another request."""
        connection.usable_until = time.monotonic() + idle_seconds
        with self._lock:
            self._busy.discard(connection)
            if not self.is_closed and len(self._idle) < MAX_IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.abort()

    def discard(self, connection: Connection) -> None:
        with self._lock:
            self._busy.discard(connection)
        connection.abort()

    def sleep(self, seconds: float) -> None:
        """Ends early when the client is closed."""
        self._closed.wait(seconds)

    def close(self) -> None:
        self._check_process()
        self._closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for connection in idle:
            connection.abort()
        for connection in busy:
            connection.wake()

    def _check_process(self) -> None:
        """After a fork, both processes have the same sockets. Sharing them would give one the answers of the other."""
        if self._process != os.getpid():
            inherited, was_closed = self._idle, self.is_closed
            self._start()
            if was_closed:
                self._closed.set()
            for connection in inherited:
                connection.abort()

    def _connect(self, timeout: float) -> socket.socket:
        address = self._settings.address
        ends_at = time.monotonic() + timeout
        failure: Optional[OSError] = None
        for family, kind, protocol, _, where in socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM):
            left = ends_at - time.monotonic()
            if left <= 0:
                raise Expired
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(left)
                sock.connect(where)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                context = self._settings.ssl_context
                return sock if context is None else context.wrap_socket(sock, server_hostname=address.host)
            except socket.timeout:
                sock.close()
                raise Expired from None
            except ssl.SSLError:
                sock.close()
                raise
            except OSError as error:
                sock.close()
                failure = error
            except BaseException:
                sock.close()
                raise
        raise failure or OSError("the host has no address")
