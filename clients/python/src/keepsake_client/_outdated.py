from typing import Any, Mapping


def marked_content(memory: Mapping[str, Any]) -> str:
    """The content of a memory with its outdated parts marked, as in the context of a recall: `(outdated since 2026-01-31: …)`.

    Show this to a language model instead of `content`, so that it takes no old value for current.
    """
    # The offsets count UTF-16 code units, of two bytes each.
    content: bytes = memory["content"].encode("utf-16-le", "surrogatepass")

    def words(start: int, end: int) -> str:
        return content[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")

    text, at = "", 0
    for part in memory.get("outdated") or []:
        text += f"{words(at, part['start'])}(outdated since {part['since'][:10]}: {words(part['start'], part['end'])})"
        at = part["end"]
    return text + words(at, len(content) // 2)
