# Generated from _async by scripts/generate.py; do not edit.
from typing import List, Literal, Optional

from .._answer import part_of
from .._scope import Scope
from .._wire import OMIT, Request, path_part
from ..api_types import ApiKey, CreateKeyAnswer, Grant, RevokeGrantAnswer, RevokeKeyAnswer
from .transport import Transport


class Keys:
    """Manages API keys; needs the master key. The client's own user is not used here."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        user_id: str = OMIT,
        name: str = "",
        *,
        kind: Optional[Literal["user", "application"]] = None,
        user_prefix: Optional[str] = None,
        access: Optional[Literal["full", "read", "write"]] = None,
        project: Optional[str] = None,
        ttl: Optional[str] = None,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> CreateKeyAnswer:
        """Creates a key. The full key is in this response only.

        A key of the kind "application" has no user of its own: it acts for the user that each request names.

        Retried only after a rate limit: otherwise a retry could create a second key whose secret nobody has seen.
        """
        body = {
            "kind": kind,
            "user_prefix": user_prefix,
            "name": name,
            "access": access,
            "project": project,
            "ttl": ttl,
            **Scope().user(user_id),
        }
        request = Request("POST", "/keys", "if-refused", body=body)
        answer: CreateKeyAnswer = self._transport.send(request, timeout_seconds, max_retries)
        return answer

    def list(
        self,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "List[ApiKey]":
        """The keys of one user, or all keys; newest first."""
        request = Request("GET", "/keys", "safe", Scope().user(user_id))
        keys: List[ApiKey] = part_of(self._transport.send(request, timeout_seconds, max_retries), "keys")
        return keys

    def revoke(
        self,
        id: str,
        *,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RevokeKeyAnswer:
        """Revokes a key immediately. Retried after a lost response, because the key must not stay active.

        `NotFoundError` then means that it is already revoked.
        """
        request = Request("DELETE", f"/keys/{path_part(id)}", "safe")
        answer: RevokeKeyAnswer = self._transport.send(request, timeout_seconds, max_retries)
        return answer


class Grants:
    """OAuth grants of connected applications: those of the API key's user, or all with the master key.

    The client's own user is not used here.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        user_id: str = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> "List[Grant]":
        """Newest first."""
        request = Request("GET", "/grants", "safe", Scope().user(user_id))
        grants: List[Grant] = part_of(self._transport.send(request, timeout_seconds, max_retries), "grants")
        return grants

    def revoke(
        self,
        id: str,
        *,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RevokeGrantAnswer:
        """Ends a grant immediately. Retried after a lost response; `NotFoundError` then means that it has already ended."""
        request = Request("DELETE", f"/grants/{path_part(id)}", "safe")
        answer: RevokeGrantAnswer = self._transport.send(request, timeout_seconds, max_retries)
        return answer
