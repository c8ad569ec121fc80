from typing import Optional, Sequence

from .._wire import OMIT, Request, joined, path_part
from ..api_types import GetDecayReportAnswer, GetMemoryDecayAnswer
from .caller import Caller


class AsyncDecay:
    """How memories lose relevance over time."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def report(
        self,
        *,
        half_life_days: Optional[float] = None,
        access_boost_weight: Optional[float] = None,
        limit: Optional[int] = None,
        page: Optional[int] = None,
        cursor: Optional[str] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        project: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetDecayReportAnswer:
        """Counts over all memories, the distribution of scores, and a page of memories, lowest score first."""
        query = {
            "half_life_days": half_life_days,
            "access_boost_weight": access_boost_weight,
            "limit": limit,
            "page": page,
            "cursor": cursor,
            **self._caller.scope.all(user_id, space, project),
        }
        request = Request("GET", "/temporal/decay/report", "safe", query)
        answer: GetDecayReportAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer

    async def get(
        self,
        memory_id: str,
        *,
        half_life_days: Optional[float] = None,
        access_boost_weight: Optional[float] = None,
        forecast_days: Optional[Sequence[int]] = None,
        user_id: str = OMIT,
        space: Optional[str] = OMIT,
        timeout_seconds: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> GetMemoryDecayAnswer:
        """One memory's score, its parts, and a forecast."""
        query = {
            "half_life_days": half_life_days,
            "access_boost_weight": access_boost_weight,
            "forecast_days": joined(forecast_days),
            **self._caller.scope.owner(user_id, space),
        }
        request = Request("GET", f"/temporal/memory/{path_part(memory_id)}/decay", "safe", query)
        answer: GetMemoryDecayAnswer = await self._caller.send(request, timeout_seconds, max_retries)
        return answer
