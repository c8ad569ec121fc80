"""A server on a real socket that misbehaves as configured, and clients of both kinds behind one interface."""

import asyncio
import inspect
import json
import socket
import struct
import threading
import unittest
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from keepsake_client import AsyncKeepsake, Keepsake


class Seen(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes
    #: Which connection it came on, from 1.
    connection: int


#: Gets the connection and the request. Returns whether the connection stays open.
Behaviour = Callable[[socket.socket, Seen], bool]


class Stub:
    def __init__(self, wrap: Optional[Callable[[socket.socket], socket.socket]] = None) -> None:
        self._wrap = wrap
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.seen: List[Seen] = []
        self.connections = 0
        self._next: List[Behaviour] = []
        self._lock = threading.Lock()
        self._open: List[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def behave(self, *behaviours: Behaviour) -> None:
        """Behaviours for the next requests, in order. The last one repeats."""
        self._next = list(behaviours)
        self.seen.clear()

    def close(self) -> None:
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection, self.connections), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            if self._wrap is not None:
                connection = self._wrap(connection)
            self._open.append(connection)
            file = connection.makefile("rb")
            while True:
                request = _read(file, number)
                if request is None:
                    break
                with self._lock:
                    self.seen.append(request)
                    behaviour = self._next.pop(0) if len(self._next) > 1 else (self._next or [answers(200, {})])[0]
                if not behaviour(connection, request):
                    break
            file.close()
        except OSError:
            pass
        finally:
            connection.close()


def _read(file: Any, number: int) -> Optional[Seen]:
    first = file.readline().decode("latin-1").split(" ")
    if len(first) < 3:
        return None
    headers: Dict[str, str] = {}
    for line in iter(file.readline, b"\r\n"):
        if not line:
            return None
        name, value = line.decode("latin-1").split(":", 1)
        headers[name.lower()] = value.strip()
    body = file.read(int(headers.get("content-length", 0)))
    return Seen(first[0], first[1], headers, body, number)


# ------------------------------------------------------------------ behaviours


def text(status: int, kind: str, body: str, headers: Optional[Dict[str, str]] = None) -> Behaviour:
    data = body.encode("utf-8")
    lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(data)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return raw("\r\n".join([*lines, "", ""]).encode("latin-1") + data, True)


def answers(status: int, body: Any, headers: Optional[Dict[str, str]] = None) -> Behaviour:
    return text(status, "application/json", json.dumps(body), headers)


def fails(status: int, code: str, headers: Optional[Dict[str, str]] = None) -> Behaviour:
    return answers(status, {"error": {"code": code, "message": f"it is {code}", "request_id": "req-1"}}, headers)


def raw(data: bytes, stays_open: bool = False) -> Behaviour:
    def behaviour(connection: socket.socket, _: Seen) -> bool:
        connection.sendall(data)
        return stays_open

    return behaviour


def resets(connection: socket.socket, _: Seen) -> bool:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


#: Announces more data and then closes the connection.
breaks_off = raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"memories\":[")


class Hangs:
    """Never answers, or never completes the answer. `left` is set when the client disconnects."""

    def __init__(self, after: bytes = b"") -> None:
        self._after = after
        self.reached = threading.Event()
        self.left = threading.Event()

    def __call__(self, connection: socket.socket, _: Seen) -> bool:
        connection.sendall(self._after)
        self.reached.set()
        try:
            while connection.recv(1024):
                pass
        except OSError:
            pass
        self.left.set()
        return False


class Floods:
    """Sends data until the client disconnects."""

    def __init__(self, start: bytes, chunk: bytes, pause_seconds: float = 0.0) -> None:
        self._start, self._chunk, self._pause = start, chunk, pause_seconds
        self.sent = 0
        self.left = threading.Event()

    def __call__(self, connection: socket.socket, _: Seen) -> bool:
        try:
            connection.sendall(self._start)
            while not self.left.wait(self._pause):
                connection.sendall(self._chunk)
                self.sent += len(self._chunk)
        except OSError:
            self.left.set()
        return False


# ------------------------------------------------------------------ clients


class BothKinds:
    """Subclasses run every test with the synchronous and with the asynchronous client."""

    kind: Any = None

    def setUp(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.clients: List[Any] = []
        self.stubs: List[Stub] = []

    def tearDown(self) -> None:
        for client in self.clients:
            self.run_call(client.close())
        for stub in self.stubs:
            stub.close()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def stub(self, **options: Any) -> Stub:
        stub = Stub(**options)
        self.stubs.append(stub)
        return stub

    def client(self, url: str, **options: Any) -> Any:
        client = self.kind(url, **options)
        self.clients.append(client)
        return client

    def patient(self, stub: Stub, **options: Any) -> Any:
        """A client whose waits take no time, and the waits."""
        client = self.client(stub.url, **{"user_id": "ana", **options})
        waits: List[float] = []
        transport = client._caller.transport

        if self.kind is Keepsake:
            transport._sleep = waits.append
        else:

            async def sleep(seconds: float) -> None:
                waits.append(seconds)

            transport._sleep = sleep
        transport._random = lambda: 1.0
        client.waits = waits
        return client

    def run_call(self, value: Any) -> Any:
        """The result of a call of either kind."""

        async def wait() -> Any:
            return await value

        return self.loop.run_until_complete(wait()) if inspect.isawaitable(value) else value

    def items(self, iterator: Any, count: int) -> List[Any]:
        """The first items of an iterator of either kind, which is then closed."""

        async def take() -> List[Any]:
            found = []
            async for item in iterator:
                found.append(item)
                if len(found) == count:
                    break
            await iterator.aclose()
            return found

        if hasattr(iterator, "__aiter__"):
            return self.loop.run_until_complete(take())
        found = [item for _, item in zip(range(count), iterator)]
        iterator.close()
        return found


def both(cases: Any) -> None:
    """Defines two test cases from a subclass of BothKinds."""
    module = inspect.getmodule(cases)
    for kind in (Keepsake, AsyncKeepsake):
        name = f"{cases.__name__}_{kind.__name__}"
        attributes = {"kind": kind, "__module__": module.__name__}
        setattr(module, name, type(name, (cases, unittest.TestCase), attributes))
