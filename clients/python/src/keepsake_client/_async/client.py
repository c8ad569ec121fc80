import ssl
from typing import AsyncIterator, List, Optional, Union

from .._answer import part_of
from .._scope import Scope, check_space, check_user_id
from .._settings import settings_of
from .._wire import OMIT, Request
from ..api_types import (
    GetActivityAnswerDays,
    GetHealthAnswer,
    GetHealthUnavailableAnswer,
    ListEventsAnswer,
    ListProjectsAnswerProjects,
    ListUsersAnswer,
)
from .caller import Caller
from .contradictions import AsyncContradictions
from .decay import AsyncDecay
from .entities import AsyncEntities
from .events import Event, follow
from .items import AsyncItems
from .keys import AsyncGrants, AsyncKeys
from .memories import AsyncMemories
from .spaces import AsyncSpaces
from .transport import AsyncTransport


class AsyncKeepsake(AsyncMemories):
    """A client for one service. `user_id`, `space` and `project` are the defaults of all calls."""

    def __init__(
        self,
        url: str,
        *,
        api_key: Optional[str] = None,
        user_id: str = OMIT,
        space: str = OMIT,
        project: Optional[str] = None,
        timeout_seconds: float = 30.0,
        max_retries: int = 2,
        idempotent: bool = False,
        max_answer_bytes: int = 64 * 1024 * 1024,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        if user_id is not OMIT:
            check_user_id(user_id)
        if space is not OMIT:
            check_space(space)
        scope = Scope(None if user_id is OMIT else user_id, None if space is OMIT else space, project)
        settings = settings_of(url, api_key, timeout_seconds, max_retries, max_answer_bytes, ssl_context)
        self._use(AsyncTransport(settings), scope, idempotent)

    def _use(self, transport: AsyncTransport, scope: Scope, idempotent: bool) -> None:
        caller = Caller(transport, scope)
        self._caller = caller
        self._scope = scope
        self._idempotent = idempotent
        self.entities = AsyncEntities(caller)
        self.contradictions = AsyncContradictions(caller)
        self.decay = AsyncDecay(caller)
        self.items = AsyncItems(caller)
        self.keys = AsyncKeys(transport)
        self.spaces = AsyncSpaces(caller)
        self.grants = AsyncGrants(transport)

    def _with(self, scope: Scope) -> "AsyncKeepsake":
        client = object.__new__(type(self))
        client._use(self._caller.transport, scope, self._idempotent)
        return client

    def __repr__(self) -> str:
        # Without the key.
        return f"<{type(self).__name__} {self._caller.transport.address} user_id={self.user_id!r}>"

    @property
    def user_id(self) -> Optional[str]:
        return self._scope.user_id

    @property
    def space(self) -> Optional[str]:
        return self._scope.space

    @property
    def project(self) -> Optional[str]:
        return self._scope.project

    @property
    def has_api_key(self) -> bool:
        return self._caller.transport.has_api_key

    def for_user(self, user_id: str, project: Optional[str] = OMIT) -> "AsyncKeepsake":
        """A client for another user that shares connections with this one. None as `project` means all projects."""
        check_user_id(user_id)
        return self._with(Scope(user_id, self.space, self.project if project is OMIT else project))

    def in_space(self, space: Optional[str]) -> "AsyncKeepsake":
        """A client for the memories of a space that shares connections with this one. None means the memories of the user."""
        if space is not None:
            check_space(space)
        return self._with(Scope(self.user_id, space, self.project))

    async def close(self) -> None:
        """Closes all connections, also those of clients that share them. Running calls fail and event loops end."""
        await self._caller.transport.close()

    async def __aenter__(self) -> "AsyncKeepsake":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def events(
        self, *, since: Optional[str] = None, user_id: str = OMIT, project: Optional[str] = OMIT
    ) -> "AsyncIterator[Event]":
        """Yields events about memories as they happen: leave the loop, or close the client, to stop.

        Reconnects automatically and continues after the last event read. `since` is the id of the last event read, `"0"` starts
        at the oldest event kept, and without it the stream starts now. An event of type `events.missed` means that some were
        deleted before they could be read.
        """
        return follow(self._caller.transport, self._scope.without_space(user_id, project), since)

    async def events_page(
        self,
        *,
        since: Optional[str] = None,
        limit: Optional[int] = None,
        user_id: str = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListEventsAnswer:
        """One page of the event log: from the oldest event kept, or after `since`."""
        query = {"since": since, "limit": limit, **self._scope.without_space(user_id, project)}
        request = Request("GET", "/events", "safe", query)
        answer: ListEventsAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def users_page(
        self,
        *,
        q: Optional[str] = None,
        limit: Optional[int] = None,
        page: Optional[int] = None,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListUsersAnswer:
        """One page of the users who have memories, by id. Needs the master key, unless authentication is off."""
        request = Request("GET", "/users", "safe", {"q": q, "limit": limit, "page": page})
        answer: ListUsersAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def projects(
        self,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List[ListProjectsAnswerProjects]:
        """The projects of the user, those with the most memories first."""
        request = Request("GET", "/projects", "safe", self._scope.owner(user_id, space))
        projects: List[ListProjectsAnswerProjects] = part_of(
            await self._caller.send(request, timeout_seconds, max_retries), "projects"
        )
        return projects

    async def activity(
        self,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List[GetActivityAnswerDays]:
        """How many memories were created per day in UTC, oldest first."""
        request = Request("GET", "/temporal/activity", "safe", self._scope.all(user_id, space, project))
        days: List[GetActivityAnswerDays] = part_of(
            await self._caller.send(request, timeout_seconds, max_retries), "days"
        )
        return days

    async def health(
        self, *, timeout_seconds: Optional[float] = None, max_retries: Optional[int] = None
    ) -> Union[GetHealthAnswer, GetHealthUnavailableAnswer]:
        """Also returns the answer of an unhealthy service. No response at all is an error, as for every call."""
        request = Request("GET", "/health", "safe", also_answer=503)
        answer: Union[GetHealthAnswer, GetHealthUnavailableAnswer] = await self._caller.send(
            request, timeout_seconds, max_retries
        )
        return answer
