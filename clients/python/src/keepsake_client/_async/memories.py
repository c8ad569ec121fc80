from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Union

from .._answer import part_of
from .._batch import BatchItem, batch_item
from .._retry import Repeat
from .._scope import Scope
from .._wire import NULL, OMIT, Moment, Request, idempotency_key_of, joined, path_part, wire_ttl
from ..api_types import (
    DeleteMemoriesAnswer,
    GetMemoryHistoryAnswer,
    GetProfileAnswer,
    ListMemoriesAnswer,
    Memory,
    MemoryVersion,
    Message,
    Provenance,
    RecallMemoriesAnswer,
    RunCleanupAnswer,
    StoreBatchAnswer,
    StoreMemoriesAnswer,
    UpdateMemoryAnswer,
)
from ..errors import ValidationError
from .caller import Caller
from .listing import AsyncListing, by_cursor

Filter = Mapping[str, Any]
Topic = Literal[
    "identity", "people", "home", "work", "health", "preferences", "possessions", "plans", "projects", "other"
]

#: How the service calls the user of a key.
_OWN_USER = "me"


class AsyncMemories:
    """The methods of a client that are about memories."""

    _caller: Caller
    _scope: Scope
    _idempotent: bool

    async def store(
        self,
        text: Union[str, Sequence[Message]],
        *,
        metadata: Optional[Mapping[str, Any]] = None,
        ttl: Optional[str] = None,
        created_at: Optional[Moment] = None,
        source: Optional[str] = None,
        conversation_id: Optional[str] = None,
        remember_assistant: Optional[bool] = None,
        idempotent: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> StoreMemoriesAnswer:
        """Stores a text or a conversation. Retried after a failure only with an idempotency key."""
        key = idempotency_key_of(idempotency_key, self._idempotent if idempotent is None else idempotent)
        body = {
            **({"content": text} if isinstance(text, str) else {"messages": text}),
            "metadata": metadata,
            "ttl": wire_ttl(ttl),
            "created_at": created_at,
            "source": source,
            "conversation_id": conversation_id,
            "remember_assistant": remember_assistant,
            **self._scope.all(user_id, space, project),
        }
        request = Request("POST", "/store", "never" if key is None else "keyed", body=body, idempotency_key=key)
        answer: StoreMemoriesAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    #: The same as `store`.
    add = store

    async def store_batch(
        self,
        items: Sequence[BatchItem],
        *,
        idempotent: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: float = 120,
        max_retries: Optional[int] = None,
    ) -> StoreBatchAnswer:
        """Stores up to 1,000 texts in order, each with its own result: `refused` is final, `failed` may be sent again."""
        key = idempotency_key_of(idempotency_key, self._idempotent if idempotent is None else idempotent)
        scope = self._scope.all(user_id, space, project)
        body = {"user_id": scope.pop("user_id"), "items": [batch_item(item, scope) for item in items]}
        repeat: Repeat = "keyed" if key or all("idempotency_key" in item for item in body["items"]) else "never"
        request = Request("POST", "/store/batch", repeat, body=body, idempotency_key=key)
        answer: StoreBatchAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def recall(
        self,
        query: str,
        *,
        limit: Optional[int] = None,
        threshold: Optional[float] = None,
        max_tokens: Optional[int] = None,
        enable_hybrid: Optional[bool] = None,
        enable_rerank: Optional[bool] = None,
        as_of: Optional[Moment] = None,
        filter: Optional[Filter] = None,
        filters: Optional[Mapping[str, Union[str, float, bool, None]]] = None,
        entity: Optional[str] = None,
        include_history: Optional[bool] = None,
        include_flagged: Optional[bool] = None,
        explain: Optional[bool] = None,
        explain_memory_ids: Optional[Sequence[str]] = None,
        spaces: Optional[Sequence[str]] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RecallMemoriesAnswer:
        """Returns memories by relevance, and their text as a context. A retry only counts as another access."""
        scope = self._scope.all(user_id, space, project)
        own = scope.pop("space")
        body = {
            "query": query,
            "spaces": [own] if spaces is None and own is not None else spaces,
            "limit": limit,
            "threshold": threshold,
            "max_tokens": max_tokens,
            "enable_hybrid": enable_hybrid,
            "enable_rerank": enable_rerank,
            "as_of": as_of,
            "filter": filter,
            "filters": filters,
            "entity": entity,
            "include_history": include_history,
            "include_flagged": include_flagged,
            "explain": explain,
            "explain_memory_ids": explain_memory_ids,
            **scope,
        }
        request = Request("POST", "/recall", "safe", body=body)
        answer: RecallMemoriesAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    #: The same as `recall`.
    search = recall

    async def update(
        self,
        id: str,
        *,
        content: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        ttl: Optional[str] = None,
        project: Optional[str] = OMIT,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> UpdateMemoryAnswer:
        """Changes a memory; None as `project` removes it from its project.

        Retried only after a rate limit: after a lost response, a retry could overwrite a newer change and restart the TTL.
        """
        body = {
            "content": content,
            "metadata": metadata,
            "ttl": wire_ttl(ttl),
            # The client's project limits what it sees. It does not move memories.
            "project": NULL if project is None else project,
            **self._scope.owner(user_id, space),
        }
        request = Request("PUT", _memory_path(id), "if-refused", body=body)
        answer: UpdateMemoryAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def release(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Memory:
        """Makes a memory that content protection flagged an ordinary one. A repeated call returns the same result."""
        body = self._scope.owner(user_id, space)
        request = Request("POST", f"{_memory_path(id)}/release", "safe", body=body)
        memory: Memory = part_of(await self._caller.send(request, timeout_seconds, max_retries), "memory")
        return memory

    async def forget(
        self,
        ids: Union[str, Sequence[str], None] = None,
        *,
        filter: Optional[Filter] = None,
        all: bool = False,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> DeleteMemoriesAnswer:
        """Erases memories permanently: by id or ids, those that pass a filter, or explicitly all of the user.

        A request by ids is safe to retry, because ids are never reused (after a lost response, `deleted` may be too small). Any
        other is retried only after a rate limit, because something may have been stored in the meantime.
        """
        if [ids is not None, filter is not None, all is True].count(True) != 1 or all not in (True, False):
            raise ValidationError("Exactly one of ids, filter and all=True is required")
        chosen: Dict[str, Any] = (
            {"memory_ids": [ids] if isinstance(ids, str) else ids}
            if ids is not None
            else {"all": True}
            if all
            else {"filter": filter}
        )
        body = {**chosen, **self._scope.all(user_id, space, project)}
        request = Request("DELETE", "/memories", "if-refused" if ids is None else "safe", body=body)
        answer: DeleteMemoriesAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def get(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Memory:
        request = Request("GET", _memory_path(id), "safe", self._scope.owner(user_id, space))
        memory: Memory = part_of(await self._caller.send(request, timeout_seconds, max_retries), "memory")
        return memory

    async def profile(
        self,
        *,
        max_tokens: Optional[int] = None,
        as_of: Optional[Moment] = None,
        topics: Optional[Sequence[Topic]] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetProfileAnswer:
        """What is known about the user, by topic, with a text for the top of a prompt."""
        scope = self._scope.all(user_id, space, project)
        user = scope.pop("user_id") or _OWN_USER
        query = {"max_tokens": max_tokens, "as_of": as_of, "topics": joined(topics), **scope}
        request = Request("GET", f"/users/{path_part(user)}/profile", "safe", query)
        answer: GetProfileAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def history(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetMemoryHistoryAnswer:
        """The versions of a memory, and the texts it was made from, each oldest first. Fetched page by page."""
        versions: List[MemoryVersion] = []
        provenance: List[Provenance] = []
        listing: "AsyncListing[MemoryVersion, GetMemoryHistoryAnswer]" = by_cursor(
            "versions",
            lambda cursor: self.history_page(
                id,
                cursor=cursor,
                user_id=user_id,
                space=space,
                timeout_seconds=timeout_seconds,
                max_retries=max_retries,
            ),
            None,
        )
        async for page in listing.pages():
            versions += part_of(page, "versions")
            provenance += part_of(page, "provenance")
        return {"memory_id": id, "versions": versions, "provenance": provenance, "next_cursor": None}

    async def history_page(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetMemoryHistoryAnswer:
        """One page: the versions come first, then the texts."""
        query = {"limit": limit, "cursor": cursor, **self._scope.owner(user_id, space)}
        request = Request("GET", f"{_memory_path(id)}/history", "safe", query)
        answer: GetMemoryHistoryAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        include_expired: Optional[bool] = None,
        flagged: Optional[bool] = None,
        q: Optional[str] = None,
        filter: Optional[Filter] = None,
        as_of: Optional[Moment] = None,
        sort: Optional[Literal["created_at", "expires_at"]] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "AsyncListing[Memory, ListMemoriesAnswer]":
        """All memories, newest first, fetched page by page as they are read."""
        return by_cursor(
            "memories",
            lambda at: self.list_page(
                limit=limit,
                cursor=at,
                include_expired=include_expired,
                flagged=flagged,
                q=q,
                filter=filter,
                as_of=as_of,
                sort=sort,
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
        limit: Optional[int] = None,
        page: Optional[int] = None,
        cursor: Optional[str] = None,
        include_expired: Optional[bool] = None,
        flagged: Optional[bool] = None,
        q: Optional[str] = None,
        filter: Optional[Filter] = None,
        as_of: Optional[Moment] = None,
        sort: Optional[Literal["created_at", "expires_at"]] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListMemoriesAnswer:
        query = {
            "limit": limit,
            "page": page,
            "cursor": cursor,
            "include_expired": include_expired,
            "flagged": flagged,
            "q": q,
            "filter": filter,
            "as_of": as_of,
            "sort": sort,
            **self._scope.all(user_id, space, project),
        }
        answer: ListMemoriesAnswer = await self._caller.send(
            Request("GET", "/memories", "safe", query), timeout_seconds, max_retries
        )
        return answer

    async def cleanup(
        self,
        *,
        dry_run: Optional[bool] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RunCleanupAnswer:
        """Lists expired memories, and purges them with `dry_run=False`. Memories that expire in between may be purged too."""
        body = {"dry_run": dry_run, **self._scope.all(user_id, space, project)}
        request = Request("POST", "/temporal/cleanup", "safe", body=body)
        answer: RunCleanupAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer


def _memory_path(id: str) -> str:
    return f"/memories/{path_part(id)}"
