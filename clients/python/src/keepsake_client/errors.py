"""All errors that a call can raise, one class per code.

Messages of the service are safe to show: they never contain content or keys.
"""

import builtins
from typing import Dict, List, Optional, Type

from .api_types import Problem


class KeepsakeError(Exception):
    """Base class. `code` is the code of the service, or one of the client's own."""

    code = "unknown"

    def __init__(
        self,
        message: str,
        *,
        code: Optional[str] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        details: Optional[List[Problem]] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code
        #: HTTP status of the response; None if there was none.
        self.status = status
        #: Identifies the request in the log of the service.
        self.request_id = request_id
        #: The invalid fields and what is wrong with them.
        self.details = details
        #: Seconds to wait before retrying, if the service said so.
        self.retry_after = retry_after


class ValidationError(KeepsakeError):
    """400, 413 or 415: the request is invalid and nothing was done. Also raised for requests that can't be sent."""

    code = "validation_error"


class AuthenticationError(KeepsakeError):
    """401: the key is missing, wrong, revoked or expired."""

    code = "authentication_error"


class ForbiddenError(KeepsakeError):
    """403: the key is limited, or the role in a space is too low."""

    code = "forbidden"


class NotFoundError(KeepsakeError):
    """404: it does not exist, or it belongs to another user."""

    code = "not_found"


class ConflictError(KeepsakeError):
    """409: a store with the same idempotency key is still in progress."""

    code = "conflict"


class RateLimitError(KeepsakeError):
    """429: too many requests."""

    code = "rate_limit_exceeded"


class UnavailableError(KeepsakeError):
    """503, or 502 or 504 from a proxy: the service is overloaded or stopping, or its storage is unavailable."""

    code = "unavailable"


class InternalError(KeepsakeError):
    """500: the service failed."""

    code = "internal_error"


class ConnectionError(KeepsakeError, builtins.ConnectionError):
    """No response or an incomplete one: connection refused, unknown host, connection reset."""

    code = "connection_error"


class TimeoutError(KeepsakeError, builtins.TimeoutError):
    """The call took longer than `timeout_seconds`. The service may or may not have processed it."""

    code = "timeout"


class UnexpectedAnswerError(KeepsakeError):
    """The response is not from Keepsake: a web page, a redirect, broken JSON, or more bytes than allowed."""

    code = "unexpected_answer"


#: A test compares these codes with the OpenAPI document.
SERVICE_ERRORS: Dict[str, Type[KeepsakeError]] = {
    each.code: each
    for each in (
        ValidationError,
        AuthenticationError,
        ForbiddenError,
        NotFoundError,
        ConflictError,
        RateLimitError,
        UnavailableError,
        InternalError,
    )
}
