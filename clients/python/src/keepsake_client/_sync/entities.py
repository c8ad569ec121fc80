# Generated from _async by scripts/generate.py; do not edit.
from typing import Any, Literal, Mapping, Optional

from .._answer import part_of
from .._wire import OMIT, Moment, Request, path_part
from ..api_types import (
    Entity,
    GetEntityMemoriesAnswer,
    GetEntityRelationshipsAnswer,
    GetGraphAnswer,
    ListEntitiesAnswer,
    ListEntityMergesAnswer,
    Memory,
    MergeEntityAnswer,
)
from .caller import Caller
from .listing import Listing, by_cursor, by_number

EntityType = Literal["PERSON", "ORG", "LOCATION", "PRODUCT", "EVENT", "CONCEPT"]


class Entities:
    """The people, places and things that memories mention."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        type: Optional[EntityType] = None,
        q: Optional[str] = None,
        as_of: Optional[Moment] = None,
        limit: Optional[int] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "Listing[Entity, ListEntitiesAnswer]":
        """Most recently seen first."""
        return by_number(
            "entities",
            lambda page: self.list_page(
                type=type,
                q=q,
                as_of=as_of,
                limit=limit,
                page=page,
                user_id=user_id,
                space=space,
                project=project,
                timeout_seconds=timeout_seconds,
                max_retries=max_retries,
            ),
        )

    def list_page(
        self,
        *,
        type: Optional[EntityType] = None,
        q: Optional[str] = None,
        as_of: Optional[Moment] = None,
        limit: Optional[int] = None,
        page: Optional[int] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListEntitiesAnswer:
        query = {
            "type": type,
            "q": q,
            "as_of": as_of,
            "limit": limit,
            "page": page,
            **self._caller.scope.all(user_id, space, project),
        }
        request = Request("GET", "/entities", "safe", query)
        answer: ListEntitiesAnswer = self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def graph(
        self,
        *,
        as_of: Optional[Moment] = None,
        limit: Optional[int] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetGraphAnswer:
        """The entities with the most memories and the relationships between them, in one request."""
        query = {"as_of": as_of, "limit": limit, **self._caller.scope.all(user_id, space, project)}
        request = Request("GET", "/graph", "safe", query)
        answer: GetGraphAnswer = self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def get(
        self,
        id: str,
        *,
        as_of: Optional[Moment] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Entity:
        query = {"as_of": as_of, **self._caller.scope.owner(user_id, space)}
        entity: Entity = part_of(self._read(id, "", query, timeout_seconds, max_retries), "entity")
        return entity

    def relationships(
        self,
        id: str,
        *,
        as_of: Optional[Moment] = None,
        include_history: Optional[bool] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetEntityRelationshipsAnswer:
        """Relationships in both directions."""
        query = {
            "as_of": as_of,
            "include_history": include_history,
            **self._caller.scope.owner(user_id, space),
        }
        answer: GetEntityRelationshipsAnswer = self._read(
            id, "/relationships", query, timeout_seconds, max_retries
        )
        return answer

    def memories(
        self,
        id: str,
        *,
        as_of: Optional[Moment] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "Listing[Memory, GetEntityMemoriesAnswer]":
        """The memories that mention the entity, newest first."""
        return by_cursor(
            "memories",
            lambda at: self.memories_page(
                id,
                as_of=as_of,
                limit=limit,
                cursor=at,
                user_id=user_id,
                space=space,
                timeout_seconds=timeout_seconds,
                max_retries=max_retries,
            ),
            cursor,
        )

    def memories_page(
        self,
        id: str,
        *,
        as_of: Optional[Moment] = None,
        limit: Optional[int] = None,
        page: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetEntityMemoriesAnswer:
        query = {
            "as_of": as_of,
            "limit": limit,
            "page": page,
            "cursor": cursor,
            **self._caller.scope.owner(user_id, space),
        }
        answer: GetEntityMemoriesAnswer = self._read(id, "/memories", query, timeout_seconds, max_retries)
        return answer

    def merges(
        self,
        id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ListEntityMergesAnswer:
        """The names that were merged into the entity, and why."""
        query = self._caller.scope.owner(user_id, space)
        answer: ListEntityMergesAnswer = self._read(id, "/merges", query, timeout_seconds, max_retries)
        return answer

    def merge(
        self,
        id: str,
        into: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> MergeEntityAnswer:
        """Merges an entity into another one of the same type. Retried only after a rate limit."""
        body = {"into": into, **self._caller.scope.owner(user_id, space)}
        request = Request("POST", f"/entities/{path_part(id)}/merge", "if-refused", body=body)
        answer: MergeEntityAnswer = self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def revert_merge(
        self,
        merge_id: str,
        *,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> MergeEntityAnswer:
        """Undoes a merge. A repeated call returns the same result."""
        body = self._caller.scope.owner(user_id, space)
        request = Request("POST", f"/merges/{path_part(merge_id)}/revert", "safe", body=body)
        answer: MergeEntityAnswer = self._caller.send(request, timeout_seconds, max_retries)
        return answer

    def _read(
        self,
        id: str,
        part: str,
        query: Mapping[str, Any],
        timeout_seconds: Optional[float],
        max_retries: Optional[int],
    ) -> Any:
        request = Request("GET", f"/entities/{path_part(id)}{part}", "safe", query)
        return self._caller.send(request, timeout_seconds, max_retries)
