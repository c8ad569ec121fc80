from typing import Any, Literal, Optional

from .._answer import part_of
from .._wire import OMIT, Request, path_part
from ..api_types import Contradiction, ListContradictionsAnswer
from .caller import Caller
from .listing import AsyncListing, by_cursor

Status = Literal["applied", "open", "accepted", "reverted"]


class AsyncContradictions:
    """Memories that contradict each other, and how each contradiction was resolved."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        status: Optional[Status] = None,
        include_expired: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "AsyncListing[Contradiction, ListContradictionsAnswer]":
        """Newest first."""
        return by_cursor(
            "contradictions",
            lambda at: self.list_page(
                status=status,
                include_expired=include_expired,
                limit=limit,
                cursor=at,
                user_id=user_id,
                space=space,
                project=project,
                timeout_seconds=timeout_seconds,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def list_page(
        self,
        *,
        status: Optional[Status] = None,
        include_expired: Optional[bool] = None,
        limit: Optional[int] = None,
        page: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListContradictionsAnswer:
        query = {
            "status": status,
            "include_expired": include_expired,
            "limit": limit,
            "page": page,
            "cursor": cursor,
            **self._caller.scope.all(user_id, space, project),
        }
        request = Request("GET", "/contradictions", "safe", query)
        answer: ListContradictionsAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def get(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contradiction:
        query = self._caller.scope.owner(user_id, space)
        request = Request("GET", f"/contradictions/{path_part(id)}", "safe", query)
        return _contradiction(await self._caller.send(request, timeout_seconds, max_retries))

    async def accept(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contradiction:
        """Keeps the new memory. A repeated call returns the same result."""
        body = self._caller.scope.owner(user_id, space)
        request = Request("POST", f"/contradictions/{path_part(id)}/accept", "safe", body=body)
        return _contradiction(await self._caller.send(request, timeout_seconds, max_retries))

    async def revert(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contradiction:
        """Makes the replaced memory current again. A repeated call returns the same result."""
        body = self._caller.scope.owner(user_id, space)
        request = Request("POST", f"/contradictions/{path_part(id)}/revert", "safe", body=body)
        return _contradiction(await self._caller.send(request, timeout_seconds, max_retries))


def _contradiction(answer: Any) -> Contradiction:
    contradiction: Contradiction = part_of(answer, "contradiction")
    return contradiction
