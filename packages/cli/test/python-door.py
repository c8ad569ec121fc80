"""Calls the Python client for the isolation suite: one JSON request per line on standard input, one answer per line."""

import inspect
import json
import sys
from typing import Any, Dict

from keepsake_client import Keepsake, KeepsakeError


def perform(request: Dict[str, Any]) -> Any:
    client: Any = Keepsake(request["url"], api_key=request["key"], max_retries=0)
    try:
        method = client
        for name in request["method"].split("."):
            method = getattr(method, name)
        known = inspect.signature(method).parameters
        options = {name: value for name, value in request["options"].items() if name in known}
        answer = method(*request["arguments"], **options)
        return answer.to_list() if hasattr(answer, "to_list") else answer
    finally:
        client.close()


def answer_to(request: Dict[str, Any]) -> Dict[str, Any]:
    try:
        return {"answer": perform(request)}
    except KeepsakeError as error:
        problem = {"code": error.code, "message": error.message, "details": error.details}
        return {"status": error.status, "error": {**problem, "request_id": error.request_id}}


for line in sys.stdin:
    print(json.dumps(answer_to(json.loads(line))), flush=True)
