"""What the synchronous and the asynchronous transport have in common."""

import re
import ssl
import time
from dataclasses import dataclass, field
from typing import Any, Optional

from ._wire import Address, address_of

#: The service sends a comment every 15 seconds. A stream that is silent for longer is dead.
STREAM_SILENCE_SECONDS = 50.0

#: Connections that are kept open for the next request.
MAX_IDLE_CONNECTIONS = 20

#: How long a server keeps an idle connection if it does not say so, less a second for the way.
_USUAL_KEEP_ALIVE_SECONDS = 4.0

#: Eleven days. Timers of the platform do not support much more.
_LONGEST_SECONDS = 1e6


class Expired(Exception):
    """Time is up."""


class Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends_at = time.monotonic() + seconds

    def left(self) -> float:
        return min(self._ends_at - time.monotonic(), _LONGEST_SECONDS)


@dataclass(frozen=True)
class Settings:
    address: Address
    # Left out of repr, so that printing the settings does not reveal it.
    api_key: Optional[str] = field(repr=False)
    timeout_seconds: float
    max_retries: int
    max_answer_bytes: int
    ssl_context: Optional[ssl.SSLContext]


def settings_of(
    url: str,
    api_key: Optional[str],
    timeout_seconds: float,
    max_retries: int,
    max_answer_bytes: int,
    ssl_context: Optional[ssl.SSLContext],
) -> Settings:
    if api_key is not None and not (isinstance(api_key, str) and re.fullmatch(r"[\x21-\x7e]+", api_key)):
        raise ValueError("api_key must be visible ASCII characters: does it contain a space or a line break?")
    address = address_of(url)
    if address.is_tls and ssl_context is None:
        ssl_context = ssl.create_default_context()
    return Settings(
        address,
        api_key,
        positive("timeout_seconds", timeout_seconds),
        whole_number("max_retries", max_retries),
        whole_number("max_answer_bytes", max_answer_bytes),
        ssl_context if address.is_tls else None,
    )


def positive(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError(f"{name} must be greater than 0")
    return value


def whole_number(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} must be a non-negative integer")
    return value


def keep_alive_seconds(header: Optional[str]) -> float:
    """How long a connection may be idle, from a `Keep-Alive: timeout=72` header."""
    found = re.search(r"\btimeout=([0-9]{1,6})\b", header or "")
    return _USUAL_KEEP_ALIVE_SECONDS if found is None else max(0.0, int(found[1]) - 1.0)


def reason_of(error: BaseException) -> str:
    """The platform's words for a failed connection."""
    text: Any = getattr(error, "strerror", None) or str(error)
    return f": {text}" if text else ""
