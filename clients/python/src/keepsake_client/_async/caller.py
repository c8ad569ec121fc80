from typing import Any, Optional

from .._scope import Scope
from .._wire import Request
from .transport import AsyncTransport


class Caller:
    """The transport plus the default user, space and project. All parts of the client use it."""

    def __init__(self, transport: AsyncTransport, scope: Scope) -> None:
        self.transport = transport
        self.scope = scope

    async def send(self, request: Request, timeout_seconds: Optional[float], max_retries: Optional[int]) -> Any:
        return await self.transport.send(request, timeout_seconds, max_retries)
