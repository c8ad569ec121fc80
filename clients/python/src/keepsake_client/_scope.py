"""Whose memories a call is about."""

from dataclasses import dataclass
from typing import Any, Dict, Optional

from ._wire import OMIT
from .errors import ValidationError


@dataclass(frozen=True)
class Scope:
    """The default user, space and project of a client."""

    user_id: Optional[str] = None
    space: Optional[str] = None
    project: Optional[str] = None

    def user(self, user_id: Any) -> Dict[str, Any]:
        """Rejects an invalid user, None included: with authentication off, a read without a user returns everyone's memories."""
        if user_id is OMIT:
            return {"user_id": self.user_id}
        check_user_id(user_id)
        return {"user_id": user_id}

    def owner(self, user_id: Any, space: Any) -> Dict[str, Any]:
        """The user, and the space whose memories the call is about. None means the memories of the user."""
        if space is OMIT:
            space = self.space
        elif space is not None:
            check_space(space)
        return {**self.user(user_id), "space": space}

    def all(self, user_id: Any, space: Any, project: Any) -> Dict[str, Any]:
        return {**self.owner(user_id, space), **self._project(project)}

    def without_space(self, user_id: Any, project: Any) -> Dict[str, Any]:
        """For calls that spaces do not have, such as events. Those of the user would be wrong in a client for a space."""
        if self.space is not None:
            raise ValidationError("space: a space has no events of its own; use a client without a space")
        return {**self.user(user_id), **self._project(project)}

    def _project(self, project: Any) -> Dict[str, Any]:
        return {"project": self.project if project is OMIT else project}


def check_user_id(user_id: Any) -> None:
    if not isinstance(user_id, str) or user_id == "":
        message = "must be a non-empty string, or omitted"
        raise ValidationError(f"user_id: {message}", details=[{"path": "user_id", "message": message}])


def check_space(space: Any) -> None:
    """An empty space would be the memories of the user."""
    if not isinstance(space, str) or space == "":
        message = "must be the id of a space, or omitted"
        raise ValidationError(f"space: {message}", details=[{"path": "space", "message": message}])
