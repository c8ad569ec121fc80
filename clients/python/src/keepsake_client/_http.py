"""Reads HTTP/1.1 responses from bytes, whoever fetches them. Strict: what is ambiguous is an error, never a guess."""

import re
from typing import Dict, List, NamedTuple, Optional

_MAX_HEAD_BYTES = 64 * 1024
_MAX_CHUNK_LINE_BYTES = 1024


class ProtocolError(Exception):
    """The bytes are not an HTTP/1.1 response."""


class ClosedEarly(ProtocolError):
    """The connection was closed before the response was complete."""


class Head(NamedTuple):
    status: int
    #: Names in lower case.
    headers: Dict[str, str]


class ResponseReader:
    """Give it bytes with `feed`. `head` is there as soon as the headers are, and `is_complete` says when it has everything."""

    def __init__(self) -> None:
        self.head: Optional[Head] = None
        self.is_complete = False
        #: Whether the connection can serve another request.
        self.is_reusable = False
        self._buffer = bytearray()
        self._body: List[bytes] = []
        self._left: Optional[int] = None
        self._is_chunked = False
        self._state = "head"

    def feed(self, data: bytes) -> bytes:
        """Returns the part of the body that the bytes contain."""
        self._buffer += data
        self._body = []
        while self._step():
            pass
        if self.is_complete and self._buffer:
            # An answer to a question that nobody asked. It must not become the answer to the next one.
            self.is_reusable = False
        return b"".join(self._body)

    def end(self) -> None:
        """The connection was closed."""
        if self.is_complete:
            return
        if self._state == "until-closed":
            self._finish()
            self.is_reusable = False
            return
        raise ClosedEarly

    def _step(self) -> bool:
        if self.is_complete:
            return False
        return {
            "head": self._read_head,
            "body": self._read_body,
            "until-closed": self._read_rest,
            "chunk-size": self._read_chunk_size,
            "chunk-end": self._read_chunk_end,
            "trailer": self._read_trailer,
        }[self._state]()

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end == -1 or end > _MAX_HEAD_BYTES:
            if len(self._buffer) > _MAX_HEAD_BYTES:
                raise ProtocolError("the headers are too long")
            return False
        text = bytes(self._buffer[:end]).decode("latin-1")
        del self._buffer[: end + 4]
        head, version = _parsed_head(text)
        if head.status < 200:
            if head.status == 101:
                raise ProtocolError("the server changed the protocol")
            return True
        self.head = head
        self._begin_body(head, version)
        return True

    def _begin_body(self, head: Head, version: str) -> None:
        options = [option.strip().lower() for option in head.headers.get("connection", "").split(",")]
        self.is_reusable = version == "1" and "close" not in options
        coding = head.headers.get("transfer-encoding")
        length = head.headers.get("content-length")
        if head.status in (204, 304):
            self._finish()
        elif coding is not None:
            if coding.strip().lower() != "chunked" or length is not None:
                raise ProtocolError("the length of the response is ambiguous")
            self._state = "chunk-size"
            self._is_chunked = True
        elif length is not None:
            if not re.fullmatch(r"[0-9]{1,18}", length):
                raise ProtocolError("the length of the response is invalid")
            self._expect(int(length))
        else:
            self._state = "until-closed"

    def _expect(self, length: int) -> None:
        self._left = length
        self._state = "body"
        if length == 0 and not self._is_chunked:
            self._finish()

    def _read_body(self) -> bool:
        assert self._left is not None
        part = bytes(self._buffer[: self._left])
        del self._buffer[: len(part)]
        self._body.append(part)
        self._left -= len(part)
        if self._left > 0:
            return False
        if self._is_chunked:
            self._state = "chunk-end"
        else:
            self._finish()
        return True

    def _read_rest(self) -> bool:
        self._body.append(bytes(self._buffer))
        self._buffer.clear()
        return False

    def _line(self) -> Optional[bytes]:
        end = self._buffer.find(b"\r\n", 0, _MAX_CHUNK_LINE_BYTES)
        if end == -1:
            if len(self._buffer) >= _MAX_CHUNK_LINE_BYTES:
                raise ProtocolError("a line is too long")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _read_chunk_size(self) -> bool:
        line = self._line()
        if line is None:
            return False
        size = line.split(b";", 1)[0].strip()
        if not re.fullmatch(rb"[0-9a-fA-F]{1,15}", size):
            raise ProtocolError("the size of a chunk is invalid")
        if int(size, 16) == 0:
            self._state = "trailer"
        else:
            self._expect(int(size, 16))
        return True

    def _read_chunk_end(self) -> bool:
        if len(self._buffer) < 2:
            return False
        if self._buffer[:2] != b"\r\n":
            raise ProtocolError("a chunk is longer than announced")
        del self._buffer[:2]
        self._state = "chunk-size"
        return True

    def _read_trailer(self) -> bool:
        line = self._line()
        if line is None:
            return False
        if line == b"":
            self._finish()
        return True

    def _finish(self) -> None:
        self.is_complete = True


def _parsed_head(text: str) -> "tuple[Head, str]":
    first, *lines = text.split("\r\n")
    status = re.fullmatch(r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: .*)?", first)
    if status is None:
        raise ProtocolError("the server does not speak HTTP/1.1")
    headers: Dict[str, str] = {}
    for line in lines:
        field = re.fullmatch(r"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*", line)
        if field is None:
            raise ProtocolError("a header is malformed")
        name, value = field[1].lower(), field[2]
        if name in headers and name in ("content-length", "transfer-encoding"):
            raise ProtocolError("the length of the response is ambiguous")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Head(int(status[2]), headers), status[1]
