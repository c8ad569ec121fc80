"""The Python client of the Keepsake memory service: standard library only, synchronous and asynchronous."""

from ._async.client import AsyncKeepsake
from ._async.listing import AsyncListing
from ._outdated import marked_content
from ._sync.client import Keepsake
from ._sync.listing import Listing
from ._version import __version__
from ._webhook import verify_webhook
from ._wire import TTL_PRESETS
from .errors import (
    AuthenticationError,
    ConflictError,
    ConnectionError,
    ForbiddenError,
    InternalError,
    KeepsakeError,
    NotFoundError,
    RateLimitError,
    TimeoutError,
    UnavailableError,
    UnexpectedAnswerError,
    ValidationError,
)

__all__ = [
    "AsyncKeepsake",
    "AsyncListing",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "ForbiddenError",
    "InternalError",
    "Keepsake",
    "KeepsakeError",
    "Listing",
    "NotFoundError",
    "RateLimitError",
    "TTL_PRESETS",
    "TimeoutError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "ValidationError",
    "__version__",
    "marked_content",
    "verify_webhook",
]
