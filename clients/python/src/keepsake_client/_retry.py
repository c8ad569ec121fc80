"""When a failed request is retried, and how long to wait before.

==============  =====================================  =============================================================
repeat          after                                  for
==============  =====================================  =============================================================
``safe``        429, 502, 503, 504, connection errors  requests that may happen twice
``keyed``       the same, and 409                      a store with an idempotency key: 409 means one is in progress
``if-refused``  429, which is sent before any work     requests that must not happen twice by accident
``never``       nothing                                a store without an idempotency key
==============  =====================================  =============================================================
"""

import math
import re
from email.utils import parsedate_to_datetime
from typing import Literal, Optional

from .errors import ConnectionError, KeepsakeError, RateLimitError, UnavailableError

Repeat = Literal["safe", "keyed", "if-refused", "never"]

_FIRST_WAIT_SECONDS = 0.25
_LONGEST_WAIT_SECONDS = 8.0


def may_repeat(repeat: Repeat, error: KeepsakeError) -> bool:
    if repeat == "never":
        return False
    if isinstance(error, RateLimitError):
        return True
    if repeat == "if-refused":
        return False
    if repeat == "keyed" and error.status == 409:
        return True
    return isinstance(error, (UnavailableError, ConnectionError))


def wait_seconds(attempt: int, error: KeepsakeError, chance: float) -> float:
    """Exponential backoff up to a limit, never shorter than the service asked for.

    Half of the wait is random, so that clients that failed together do not retry together.
    """
    back_off: float = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** min(attempt, 10))
    jittered = back_off * (0.5 + chance / 2)
    return jittered if error.retry_after is None else error.retry_after + jittered - back_off / 2


def read_retry_after(header: Optional[str], now_seconds: float) -> Optional[int]:
    """Seconds from a `Retry-After` header: a number or a date. None for anything else."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    if not re.match(r"[A-Z][a-z]{2}", text):
        return None
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return max(0, math.ceil(moment - now_seconds))
