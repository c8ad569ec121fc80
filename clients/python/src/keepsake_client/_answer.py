"""Reads a response: an answer of the service, one of its errors, or something from elsewhere."""

import json
from typing import Any, Dict, Optional

from ._http import Head
from ._retry import read_retry_after
from .errors import SERVICE_ERRORS, KeepsakeError, RateLimitError, UnavailableError, UnexpectedAnswerError


def read_answer(head: Head, body: bytes, also_answer: Optional[int], now_seconds: float) -> Dict[str, Any]:
    refuse_redirect(head, now_seconds)
    answer = _parsed(body) if head.headers.get("content-encoding", "identity") == "identity" else None
    if 200 <= head.status < 300 or (head.status == also_answer and answer is not None and "status" in answer):
        if answer is not None:
            return answer
        raise UnexpectedAnswerError("The response is not a JSON object", **_facts(head, now_seconds))
    raise _error_of(head, answer, now_seconds)


def refuse_redirect(head: Head, now_seconds: float) -> None:
    """Keys and memories are sent only to the given address."""
    if 300 <= head.status < 400:
        raise UnexpectedAnswerError(
            "The server redirected, which Keepsake never does: check the url", **_facts(head, now_seconds)
        )


def too_large(head: Head, max_bytes: int, now_seconds: float) -> KeepsakeError:
    return UnexpectedAnswerError(f"The response is larger than {max_bytes} bytes", **_facts(head, now_seconds))


def _parsed(body: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_not_json)
    except (ValueError, RecursionError):
        # Not JSON, not UTF-8, a number with thousands of digits, or nested too deeply.
        return None
    return value if isinstance(value, dict) else None


def _not_json(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _facts(head: Head, now_seconds: float) -> Dict[str, Any]:
    return {
        "status": head.status,
        "request_id": head.headers.get("x-request-id"),
        "retry_after": read_retry_after(head.headers.get("retry-after"), now_seconds),
    }


def _error_of(head: Head, answer: Optional[Dict[str, Any]], now_seconds: float) -> KeepsakeError:
    facts = _facts(head, now_seconds)
    reported: Any = (answer or {}).get("error")
    if _is_reported(reported):
        facts["request_id"] = reported.get("request_id", facts["request_id"])
        code = reported["code"]
        # An unknown code, from a newer service, becomes a plain KeepsakeError.
        return SERVICE_ERRORS.get(code, KeepsakeError)(
            reported["message"], code=code, details=reported.get("details"), **facts
        )
    kind = head.headers.get("content-type", "no content type")[:100]
    message = f"Status {head.status} with a response that is not from Keepsake ({kind})"
    # A proxy answers for a service that it can't reach or that it protects.
    if head.status == 429:
        return RateLimitError(message, **facts)
    if head.status in (502, 503, 504):
        return UnavailableError(message, **facts)
    return UnexpectedAnswerError(f"{message}: is the url correct?", **facts)


def _is_reported(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("code"), str)
        and isinstance(value.get("message"), str)
        and isinstance(value.get("request_id", ""), str)
        and isinstance(value.get("details", []), list)
    )


def part_of(answer: Any, name: str) -> Any:
    """One field of an answer, which a response from elsewhere may lack."""
    if isinstance(answer, dict) and name in answer:
        return answer[name]
    raise UnexpectedAnswerError(f"The response has no {name}: is the url correct?")
