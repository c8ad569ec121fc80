# Generated from _async by scripts/generate.py; do not edit.
from typing import Any, Optional

from .._scope import Scope
from .._wire import Request
from .transport import Transport


class Caller:
    """The transport plus the default user, space and project. All parts of the client use it."""

    def __init__(self, transport: Transport, scope: Scope) -> None:
        self.transport = transport
        self.scope = scope

    def send(self, request: Request, timeout_seconds: Optional[float], max_retries: Optional[int]) -> Any:
        return self.transport.send(request, timeout_seconds, max_retries)
