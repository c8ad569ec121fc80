"""Writes the generated files of the package: `npm run generate:python`.

- `api_types.py` from the OpenAPI document of a service: a TypedDict per schema, and one per query.
- `_sync/` from `_async/`: the same code without `async` and `await`.

Usage: generate.py openapi.json
"""

import io
import json
import keyword
import re
import sys
import tokenize
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

Schema = Dict[str, Any]

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "keepsake_client"
REFERENCE = "#/components/schemas/"

TYPES_HEADER = '''"""Types of all requests and answers. Generated from the OpenAPI document by scripts/generate.py; do not edit."""

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
'''

SYNC_HEADER = "# Generated from _async by scripts/generate.py; do not edit.\n"


# ------------------------------------------------------------------ types


def api_types(document: Dict[str, Any]) -> str:
    """The text of `api_types.py`."""
    schemas = document["components"]["schemas"]
    operations = sorted(_operations(document), key=lambda operation: operation["operationId"])
    used = {"Error"}
    waiting = ["Error"] + [name for operation in operations for name in _references(_bodies(operation))]
    while waiting:
        name = waiting.pop()
        used.add(name)
        waiting += [other for other in _references(schemas[name]) if other not in used]
    writer = _Writer()
    for name in sorted(used):
        writer.declare(_type_name(name), schemas[name])
    for operation in operations:
        query = query_schema(operation)
        if query["properties"]:
            writer.declare(f"{_upper(operation['operationId'])}Query", query)
    return TYPES_HEADER + "".join(writer.parts)


def _operations(document: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    """The client does not need probes, metrics and documentation pages."""
    for path in document["paths"].values():
        for method in ("get", "post", "put", "delete"):
            operation = path.get(method)
            if operation is None:
                continue
            if operation["operationId"] == "getHealth" or not {"Operations", "Documentation"} & set(operation["tags"]):
                yield operation


def query_schema(operation: Dict[str, Any]) -> Schema:
    parameters = [each for each in operation.get("parameters", []) if each["in"] == "query"]
    return {
        "type": "object",
        "properties": {
            each["name"]: {**each["schema"], **({"description": each["description"]} if "description" in each else {})}
            for each in parameters
        },
        "required": [each["name"] for each in parameters if each["required"]],
    }


def _bodies(operation: Dict[str, Any]) -> List[Schema]:
    answers = [operation.get("requestBody", {}), *operation["responses"].values()]
    return [content["schema"] for answer in answers for content in answer.get("content", {}).values()]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _references(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str) and item.startswith(REFERENCE):
                yield item[len(REFERENCE) :]
            else:
                yield from _references(item)


def _type_name(name: str) -> str:
    """`Error` would be taken for an exception."""
    return "ErrorAnswer" if name == "Error" else name


def _upper(name: str) -> str:
    return name[:1].upper() + name[1:]


class _Writer:
    """Nested objects get a type of their own, declared before the type that uses them."""

    def __init__(self) -> None:
        self.parts: List[str] = []
        self.names: Set[str] = set()

    def declare(self, name: str, schema: Schema) -> None:
        if name in self.names:
            raise ValueError(f"two types have the name {name}")
        self.names.add(name)
        required = set(schema.get("required", []))
        fields = [
            (field, self._type(own, f"{name}{''.join(_upper(part) for part in field.split('_'))}"), own)
            for field, own in schema.get("properties", {}).items()
        ]
        needed = [each for each in fields if each[0] in required]
        others = [each for each in fields if each[0] not in required]
        description = schema.get("description")
        # Python 3.9 has no `NotRequired`: the required fields are in a base class.
        if needed and others:
            base = f"_{name}Required"
            self.parts.append(_class(base, "TypedDict", needed, None))
            self.parts.append(_class(name, base, others, description, total=False))
        else:
            self.parts.append(_class(name, "TypedDict", fields, description, total=not others or bool(needed)))

    def _type(self, schema: Schema, name: str) -> str:
        plain = self._plain(schema, name)
        return f"Optional[{plain}]" if schema.get("nullable") and plain not in ("None", "Any") else plain

    def _plain(self, schema: Schema, name: str) -> str:
        if "$ref" in schema:
            return f'"{_type_name(schema["$ref"][len(REFERENCE):])}"'
        if "enum" in schema:
            # None is added to nullable types separately.
            values = [value for value in schema["enum"] if value is not None]
            return f"Literal[{', '.join(map(_literal, values))}]" if values else "None"
        if "anyOf" in schema:
            options = [self._type(option, f"{name}{at or ''}") for at, option in enumerate(schema["anyOf"])]
            return f"Union[{', '.join(dict.fromkeys(options))}]"
        if "allOf" in schema:
            if len(schema["allOf"]) != 1:
                raise ValueError(f"{name}: allOf with several parts is not supported")
            return self._type(schema["allOf"][0], name)
        kind = schema.get("type")
        if kind == "array":
            return f"List[{self._type(schema.get('items', {}), name)}]"
        if kind == "object":
            if schema.get("properties"):
                self.declare(name, schema)
                return f'"{name}"'
            values = schema.get("additionalProperties")
            return f"Dict[str, {self._type(values, name) if isinstance(values, dict) else 'Any'}]"
        return {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}.get(kind or "", "Any")


Field = Tuple[str, str, Schema]


def _class(name: str, base: str, fields: List[Field], description: Any, total: bool = True) -> str:
    ending = "" if total else ", total=False"
    if any(keyword.iskeyword(field) for field, _, _ in fields):
        if base != "TypedDict" or not total:
            raise ValueError(f"{name}: an optional field must not be a keyword")
        rows = "".join(f"        {_literal(field)}: {kind},\n" for field, kind, _ in fields)
        comments = "".join(f"# {field}: {own['description']}\n" for field, _, own in fields if "description" in own)
        return f'\n\n{comments}{name} = TypedDict(\n    "{name}",\n    {{\n{rows}    }},\n)\n'
    lines = [f'    """{_words(description)}"""\n\n'] if description else []
    for field, kind, own in fields:
        if "description" in own:
            lines.append(f"    # {_words(own['description'])}\n")
        lines.append(f"    {field}: {kind}\n")
    return f"\n\nclass {name}({base}{ending}):\n{''.join(lines) or '    pass' + chr(10)}"


def _words(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("\\", "\\\\").replace('"""', "'''")


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


# ------------------------------------------------------------------ the synchronous client

_RENAMED = {
    "AsyncKeepsake": "Keepsake",
    "AsyncListing": "Listing",
    "AsyncTransport": "Transport",
    "AsyncEntities": "Entities",
    "AsyncContradictions": "Contradictions",
    "AsyncDecay": "Decay",
    "AsyncKeys": "Keys",
    "AsyncSpaces": "Spaces",
    "AsyncGrants": "Grants",
    "AsyncMemories": "Memories",
    "AsyncIterator": "Iterator",
    "_async_io": "_sync_io",
    "aclose": "close",
    "__aiter__": "__iter__",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
}


def sync_text(text: str) -> str:
    """The code without `async` and `await`."""
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token, after in reversed(list(zip(tokens, tokens[1:] + tokens[-1:]))):
        if token.type not in (tokenize.NAME, tokenize.STRING, tokenize.COMMENT):
            continue
        (row, column), (_, end) = token.start, token.end
        line = lines[row - 1]
        if token.type == tokenize.NAME and token.string in ("async", "await"):
            lines[row - 1] = line[:column] + line[after.start[1] :]
        elif token.type == tokenize.NAME and token.string in _RENAMED:
            lines[row - 1] = line[:column] + _RENAMED[token.string] + line[end:]
        elif token.type != tokenize.NAME and row == token.end[0]:
            words = re.sub(r"\w+", lambda match: _RENAMED.get(match[0], match[0]), token.string)
            lines[row - 1] = line[:column] + words + line[end:]
    plain = re.sub(r"Awaitable\[(\w+)\]", r"\1", "".join(lines)).replace("Awaitable, ", "").replace("`async for`", "`for`")
    return SYNC_HEADER + plain


# ------------------------------------------------------------------ files


def generated_files(document: Dict[str, Any]) -> Dict[Path, str]:
    files = {PACKAGE / "api_types.py": api_types(document)}
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        files[PACKAGE / "_sync" / source.name] = sync_text(source.read_text(encoding="utf-8"))
    return files


def main(document_file: str) -> None:
    document = json.loads(Path(document_file).read_text(encoding="utf-8"))
    for path, text in generated_files(document).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(PACKAGE)} was updated.")


if __name__ == "__main__":
    main(sys.argv[1])
