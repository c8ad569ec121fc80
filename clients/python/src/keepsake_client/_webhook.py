"""Checks the signature of a webhook delivery."""

import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Optional, Union

from .errors import ValidationError


def verify_webhook(
    payload: Union[str, bytes],
    header: Optional[str],
    secret: str,
    *,
    tolerance_seconds: float = 300,
    now_seconds: Optional[float] = None,
) -> Dict[str, Any]:
    """Returns the event of a delivery if `payload` (the raw body, not parsed) was signed with the secret.

    Otherwise raises a `ValidationError`. `header` is the value of `Keepsake-Signature`. The event is a `MemoryEvent`, or one
    of type `events.missed`, with `webhook_id` and `sent_at`.
    """
    parts = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", header or "")
    if parts is None:
        raise ValidationError("The signature header is missing or malformed")
    body = payload.encode("utf-8") if isinstance(payload, str) else bytes(payload)
    signed = hmac.new(secret.encode("utf-8"), parts[1].encode("ascii") + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signed, parts[2]):
        raise ValidationError("The signature does not match")
    # Checked after the signature, so that nobody without the secret learns anything about our clock.
    now = time.time() if now_seconds is None else now_seconds
    if abs(now - int(parts[1])) > tolerance_seconds:
        raise ValidationError("The timestamp is outside the tolerance")
    # The service signed it, so it has the shape of an event.
    event: Dict[str, Any] = json.loads(body)
    return event
