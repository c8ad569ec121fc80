"""Runs every example of the documentation as a reader would: as a separate program, against a real service."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT.parent.parent / "docs" / "python.md", ROOT / "README.md"]
ADDRESS = "http://127.0.0.1:8787"


class Example(NamedTuple):
    page: str
    code: str
    with_keys: bool
    prints: Optional[str]


def examples() -> List[Example]:
    block = r"(<!-- authentication is on -->\n\n)?```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?"
    return [
        Example(page.name, code, bool(keys), prints)
        for page in PAGES
        for keys, code, prints in re.findall(block, page.read_text(encoding="utf-8"), re.S)
    ]


class Documentation(unittest.TestCase):
    def test_examples_print_the_documented_output(self) -> None:
        found = examples()
        self.assertGreaterEqual(len(found), 5)
        # In order: some examples need what an earlier one stored.
        for at, (page, code, with_keys, prints) in enumerate(found):
            with self.subTest(f"{page}, example {at + 1}"):
                self.assertIn(ADDRESS, code)
                url = os.environ["KEEPSAKE_TEST_GUARDED_URL" if with_keys else "KEEPSAKE_TEST_OPEN_URL"]
                settings = {"SERVICE_MASTER_KEY": os.environ["KEEPSAKE_TEST_MASTER_KEY"]} if with_keys else {}
                environment = {"PYTHONPATH": os.environ["PYTHONPATH"], "PATH": os.environ["PATH"], **settings}
                command = [sys.executable, "-W", "error", "-c", code.replace(ADDRESS, url)]
                told = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=30)
                self.assertEqual((told.stderr, told.stdout), ("", prints or ""))
