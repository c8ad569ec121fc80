from typing import Any, Dict, List, Optional, Sequence, Union

from .._answer import part_of
from .._wire import NULL, OMIT, Moment, Request, path_part, wire_ttl
from ..api_types import (
    Item,
    ListItemVersionsAnswerVersions,
    ListItemsAnswer,
    ListNamespacesAnswer,
    ListNamespacesAnswerNamespaces,
    PutItemAnswer,
    SearchItemsAnswer,
)
from ..errors import NotFoundError
from .caller import Caller
from .listing import AsyncListing, by_cursor


class AsyncItems:
    """Values under a namespace and a key, word for word. Nothing splits, merges or judges them."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def put(
        self,
        namespace: str,
        key: str,
        value: Any,
        *,
        index: Optional[Union[bool, Sequence[str]]] = None,
        ttl: Optional[str] = None,
        if_version: Optional[int] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> PutItemAnswer:
        """A retry is safe: the same value again changes nothing.

        With `if_version` it may raise `ConflictError` after a lost response.
        """
        body = {
            # A plain None would be left out.
            "value": NULL if value is None else value,
            "index": index,
            "ttl": wire_ttl(ttl),
            "if_version": if_version,
        }
        query = self._caller.scope.all(user_id, space, project)
        request = Request("PUT", _item_path(namespace, key), "safe", query, body=body)
        answer: PutItemAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def get(
        self,
        namespace: str,
        key: str,
        *,
        as_of: Optional[Moment] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Optional[Item]:
        """None if there is no such item."""
        query = {"as_of": as_of, **self._caller.scope.all(user_id, space, project)}
        request = Request("GET", _item_path(namespace, key), "safe", query)
        try:
            item: Item = part_of(await self._caller.send(request, timeout_seconds, max_retries), "item")
        except NotFoundError:
            return None
        return item

    async def versions(
        self,
        namespace: str,
        key: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "List[ListItemVersionsAnswerVersions]":
        """The newest first, at most 20."""
        query = self._caller.scope.all(user_id, space, project)
        request = Request("GET", f"{_item_path(namespace, key)}/versions", "safe", query)
        answer = await self._caller.send(request, timeout_seconds, max_retries)
        versions: List[ListItemVersionsAnswerVersions] = part_of(answer, "versions")
        return versions

    async def delete(
        self,
        namespace: str,
        key: str,
        *,
        if_version: Optional[int] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> bool:
        """Returns whether there was such an item."""
        query = {"if_version": if_version, **self._caller.scope.all(user_id, space, project)}
        request = Request("DELETE", _item_path(namespace, key), "safe", query)
        deleted: int = part_of(await self._caller.send(request, timeout_seconds, max_retries), "deleted")
        return deleted > 0

    async def delete_all(
        self,
        *,
        namespace: Optional[str] = None,
        prefix: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> int:
        """Deletes the items of a namespace, or below a prefix; returns how many."""
        query = {"namespace": namespace, "prefix": prefix, **self._caller.scope.all(user_id, space, project)}
        request = Request("DELETE", "/items", "safe", query)
        deleted: int = part_of(await self._caller.send(request, timeout_seconds, max_retries), "deleted")
        return deleted

    def list(
        self,
        *,
        namespace: Optional[str] = None,
        prefix: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "AsyncListing[Item, ListItemsAnswer]":
        """By namespace and key."""
        return by_cursor(
            "items",
            lambda at: self.list_page(
                namespace=namespace,
                prefix=prefix,
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
        namespace: Optional[str] = None,
        prefix: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListItemsAnswer:
        query = {
            "namespace": namespace,
            "prefix": prefix,
            "limit": limit,
            "cursor": cursor,
            **self._caller.scope.all(user_id, space, project),
        }
        request = Request("GET", "/items", "safe", query)
        answer: ListItemsAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def namespaces(
        self,
        *,
        prefix: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "AsyncListing[ListNamespacesAnswerNamespaces, ListNamespacesAnswer]":
        """The namespaces that have items, in their order."""
        return by_cursor(
            "namespaces",
            lambda at: self.namespaces_page(
                prefix=prefix,
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

    async def namespaces_page(
        self,
        *,
        prefix: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListNamespacesAnswer:
        query = {
            "prefix": prefix,
            "limit": limit,
            "cursor": cursor,
            **self._caller.scope.all(user_id, space, project),
        }
        request = Request("GET", "/namespaces", "safe", query)
        answer: ListNamespacesAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def search(
        self,
        query: Optional[str] = None,
        *,
        namespace: Optional[str] = None,
        prefix: Optional[str] = None,
        filter: Optional[Dict[str, Any]] = None,
        threshold: Optional[float] = None,
        include_flagged: Optional[bool] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> SearchItemsAnswer:
        """By meaning and words; without a query, the latest changes first."""
        body = {
            "query": query,
            "namespace": namespace,
            "prefix": prefix,
            "filter": filter,
            "threshold": threshold,
            "include_flagged": include_flagged,
            "limit": limit,
            "offset": offset,
            **self._caller.scope.all(user_id, space, project),
        }
        request = Request("POST", "/items/search", "safe", body=body)
        answer: SearchItemsAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer


def _item_path(namespace: str, key: str) -> str:
    return f"/items/{path_part(namespace)}/{path_part(key)}"
