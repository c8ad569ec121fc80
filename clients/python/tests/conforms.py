"""Checks at run time that an answer has the shape of its type: no field is missing, none is unknown, and values fit."""

from typing import Any, Dict, List, Literal, Union, get_args, get_origin, get_type_hints

from keepsake_client import api_types


def check(value: Any, kind: Any, where: str = "answer") -> None:
    origin = get_origin(kind)
    if kind is Any:
        return
    if origin is Union:
        options = get_args(kind)
        if not any(_fits(value, option, where) for option in options):
            raise AssertionError(f"{where}: {value!r} is none of {options}")
    elif origin is Literal:
        _require(value in get_args(kind), where, value, kind)
    elif origin in (list, List):
        _require(isinstance(value, list), where, value, kind)
        for at, item in enumerate(value):
            check(item, get_args(kind)[0], f"{where}[{at}]")
    elif origin in (dict, Dict):
        _require(isinstance(value, dict), where, value, kind)
        for key, item in value.items():
            check(item, get_args(kind)[1], f"{where}.{key}")
    elif hasattr(kind, "__required_keys__"):
        _require(isinstance(value, dict), where, value, kind)
        hints = get_type_hints(kind, vars(api_types))
        missing, unknown = kind.__required_keys__ - value.keys(), value.keys() - hints.keys()
        _require(not missing and not unknown, f"{where}: missing {missing}, unknown {unknown}", value, kind)
        for key, item in value.items():
            check(item, hints[key], f"{where}.{key}")
    elif kind is float:
        _require(isinstance(value, (int, float)) and not isinstance(value, bool), where, value, kind)
    else:
        _require(isinstance(value, kind) and not (kind is int and isinstance(value, bool)), where, value, kind)


def _fits(value: Any, kind: Any, where: str) -> bool:
    try:
        check(value, kind, where)
    except AssertionError:
        return False
    return True


def _require(holds: bool, where: str, value: Any, kind: Any) -> None:
    if not holds:
        raise AssertionError(f"{where}: {value!r} is no {kind}")
