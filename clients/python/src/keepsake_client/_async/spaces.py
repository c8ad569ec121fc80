from typing import Any, Literal, Mapping, Optional

from .._answer import part_of
from .._scope import check_user_id
from .._wire import OMIT, Request, path_part
from ..api_types import (
    DeleteSpaceAnswer,
    LeaveSpacesAnswer,
    ListMembersAnswer,
    ListSpacesAnswer,
    Member,
    SetMemberAnswer,
    Space,
)
from .caller import Caller
from .listing import AsyncListing, by_number

Role = Literal["reader", "writer", "owner"]


class AsyncSpaces:
    """Memories of a group, and its members. `client.in_space(id)` works with the memories of a space."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(
        self,
        name: str,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Space:
        """The user becomes its owner. Retried only after a rate limit: otherwise a retry could create a second space."""
        body = {"name": name, **self._caller.scope.user(user_id)}
        request = Request("POST", "/spaces", "if-refused", body=body)
        return _space(await self._caller.send(request, timeout_seconds, max_retries))

    def list(
        self,
        *,
        limit: Optional[int] = None,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "AsyncListing[Space, ListSpacesAnswer]":
        """The spaces of the user, with the user's role in each."""
        fields = {"limit": limit, **self._caller.scope.user(user_id)}
        return by_number(
            "spaces", lambda page: self._read("/spaces", {"page": page, **fields}, timeout_seconds, max_retries)
        )

    async def get(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Space:
        query = self._caller.scope.user(user_id)
        return _space(await self._read(_space_path(id), query, timeout_seconds, max_retries))

    async def rename(
        self,
        id: str,
        name: str,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Space:
        body = {"name": name, **self._caller.scope.user(user_id)}
        request = Request("PUT", _space_path(id), "if-refused", body=body)
        return _space(await self._caller.send(request, timeout_seconds, max_retries))

    async def delete(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> DeleteSpaceAnswer:
        """Deletes the space with all of its memories. After a lost response, a retry may raise `NotFoundError`."""
        request = Request("DELETE", _space_path(id), "safe", self._caller.scope.user(user_id))
        answer: DeleteSpaceAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def members(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "AsyncListing[Member, ListMembersAnswer]":
        fields = {"limit": limit, **self._caller.scope.user(user_id)}
        path = _members_path(id)
        return by_number("members", lambda page: self._read(path, {"page": page, **fields}, timeout_seconds, max_retries))

    async def set_member(
        self,
        id: str,
        member: str,
        role: Role,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> SetMemberAnswer:
        """Adds a member, or changes the role of one."""
        body = {"member": member, "role": role, **self._caller.scope.user(user_id)}
        request = Request("POST", _members_path(id), "safe", body=body)
        answer: SetMemberAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def remove_member(
        self,
        id: str,
        member: str = OMIT,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> SetMemberAnswer:
        """Ends a membership at once. Without a member, the user leaves the space."""
        if member is not OMIT:
            check_user_id(member)
        query = {"member": member, **self._caller.scope.user(user_id)}
        request = Request("DELETE", _members_path(id), "safe", query)
        answer: SetMemberAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def leave_all(
        self,
        user_id: str,
        *,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> LeaveSpacesAnswer:
        """Ends all memberships of a user who goes. Retried only after a rate limit, because the answer names what happened."""
        request = Request("DELETE", f"/users/{path_part(user_id)}/spaces", "if-refused")
        answer: LeaveSpacesAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def _read(
        self, path: str, query: Mapping[str, Any], timeout_seconds: Optional[float], max_retries: Optional[int]
    ) -> Any:
        return await self._caller.send(Request("GET", path, "safe", query), timeout_seconds, max_retries)


def _space(answer: Any) -> Space:
    space: Space = part_of(answer, "space")
    return space


def _space_path(id: str) -> str:
    return f"/spaces/{path_part(id)}"


def _members_path(id: str) -> str:
    return f"{_space_path(id)}/members"
