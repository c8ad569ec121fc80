"""How a request is written: the address, the query, the body and the headers."""

import json
import re
import secrets
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from typing import Any, Dict, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlsplit

from ._retry import Repeat
from ._version import __version__
from .errors import ValidationError

#: A point in time: a date and time with a time zone, a date, or text as in the API.
Moment = Union[datetime, date, str]


class _Omitted:
    """`None` can mean something else than "not given": no project, or a user id that got lost."""

    def __repr__(self) -> str:
        return "OMIT"


#: The default of parameters that are not given.
OMIT: Any = _Omitted()

#: Sent as null. A plain None is left out of a request.
NULL: Any = object()

_API_PATH = "/api/v1"


@dataclass(frozen=True)
class Address:
    """Where the service is. `path` ends with `/api/v1`."""

    is_tls: bool
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.is_tls else 80) else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"http{'s' if self.is_tls else ''}://{self.host_header}{self.path}"


def address_of(url: str) -> Address:
    # Control characters could add a header. Others have to be encoded as the server expects them.
    if not isinstance(url, str) or not re.fullmatch(r"[\x21-\x7e]+", url) or "\\" in url:
        raise ValueError("url must be an address such as http://127.0.0.1:8787, in visible ASCII characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError("url must be an address such as http://127.0.0.1:8787") from error
    if parts.scheme not in ("http", "https"):
        raise ValueError("url must use http: or https:")
    if "@" in parts.netloc:
        raise ValueError("url must not contain a user name or password")
    if parts.query or parts.fragment:
        raise ValueError("url must not contain a query or a fragment")
    if not parts.hostname or port == 0:
        raise ValueError("url must be an address such as http://127.0.0.1:8787")
    path = parts.path.rstrip("/")
    is_tls = parts.scheme == "https"
    return Address(
        is_tls, parts.hostname, port or (443 if is_tls else 80), path if path.endswith(_API_PATH) else path + _API_PATH
    )


@dataclass(frozen=True)
class Request:
    method: str
    #: Below the address, already encoded.
    path: str
    repeat: Repeat
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    idempotency_key: Optional[str] = None
    #: A status other than 2xx whose body counts as an answer: 503 from a health check.
    also_answer: Optional[int] = None


def written(address: Address, api_key: Optional[str], request: Request, extra: Mapping[str, str]) -> bytes:
    """The bytes of a request."""
    body = b"" if request.body is None else _body(request.body)
    headers = {
        "Host": address.host_header,
        "User-Agent": f"keepsake-client-python/{__version__}",
        "Accept": "application/json",
        # A compressed answer could be far larger than its size on the wire.
        "Accept-Encoding": "identity",
        **({} if request.body is None else {"Content-Type": "application/json"}),
        **({"Content-Length": str(len(body))} if request.method != "GET" else {}),
        **({} if api_key is None else {"Authorization": f"Bearer {api_key}"}),
        **({} if request.idempotency_key is None else {"Idempotency-Key": request.idempotency_key}),
        **extra,
    }
    lines = [f"{request.method} {address.path}{request.path}{query_string(request.query)} HTTP/1.1"]
    lines += [f"{name}: {_header_value(name, value)}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _header_value(name: str, value: str) -> str:
    if re.fullmatch(r"[\x20-\x7e]*", value):
        return value
    raise ValidationError(f"{name}: must be visible ASCII characters")


def given(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Without the fields that are not given."""
    return {
        name: None if value is NULL else value for name, value in fields.items() if value is not None and value is not OMIT
    }


def _body(fields: Mapping[str, Any]) -> bytes:
    return _json(given(fields)).encode("utf-8")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":"))
    except ValidationError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        # For example a cycle, a set or a number that is not finite. The message of the platform contains no values.
        raise ValidationError(f"The request can't be serialized: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return moment_text(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def moment_text(value: Moment) -> str:
    if not isinstance(value, datetime):
        return value.isoformat() if isinstance(value, date) else value
    if value.tzinfo is None:
        raise ValidationError("A date and time needs a time zone, such as datetime.now(timezone.utc)")
    text = value.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def query_string(fields: Mapping[str, Any]) -> str:
    """`?name=value` for the given fields; empty if there are none."""
    try:
        pairs = [f"{name}={quote(_parameter_text(value), safe='')}" for name, value in given(fields).items()]
    except UnicodeEncodeError as error:
        raise ValidationError("The request can't be serialized: it contains half of a surrogate pair") from error
    return f"?{'&'.join(pairs)}" if pairs else ""


def _parameter_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return moment_text(value)
    if isinstance(value, Mapping):
        return _json(value)
    return str(value)


def path_part(name: str) -> str:
    """An id as one segment of a path. `.` and `..` would lead to another route."""
    if not isinstance(name, str) or name in ("", ".", ".."):
        raise ValidationError("An id is required", details=[{"path": "id", "message": "must be an id"}])
    try:
        return quote(name, safe="")
    except UnicodeEncodeError as error:
        raise ValidationError("The id contains half of a surrogate pair") from error


def joined(values: Optional[Sequence[object]]) -> Optional[str]:
    """A list in a query."""
    return None if values is None else ",".join(str(value) for value in values)


# ------------------------------------------------------------------ idempotency keys


def idempotency_key_of(given_key: Optional[str], is_wanted: bool) -> Optional[str]:
    if given_key is None:
        return secrets.token_hex(16) if is_wanted else None
    if not isinstance(given_key, str) or not re.fullmatch(r"[\x21-\x7e]{1,255}", given_key):
        raise ValidationError("idempotency_key: must be 1 to 255 visible ASCII characters")
    return given_key


# ------------------------------------------------------------------ time to live

#: Named lifetimes of a memory. `permanent` also overrides the default of the service.
TTL_PRESETS: Mapping[str, str] = {
    "session": "24h",
    "conversation": "7d",
    "short_term": "30d",
    "long_term": "365d",
    "permanent": "permanent",
}


def wire_ttl(ttl: Optional[str]) -> Optional[str]:
    return None if ttl is None else TTL_PRESETS.get(ttl, ttl)
