"""What is published."""

import ast
import importlib.util
import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import keepsake_client

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = ROOT.parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))

sys.path.insert(0, str(ROOT))
import build_backend  # noqa: E402


class Package(unittest.TestCase):
    def test_has_the_version_and_the_licence_of_the_repository(self) -> None:
        version = json.loads((REPOSITORY / "package.json").read_text(encoding="utf-8"))["version"]
        # The form that Python gives to a prerelease.
        version = version.replace("-rc.", "rc").replace("-beta.", "b").replace("-alpha.", "a")
        self.assertEqual((build_backend.project()["version"], keepsake_client.__version__), (version, version))
        self.assertEqual((ROOT / "LICENSE").read_bytes(), (REPOSITORY / "LICENSE").read_bytes())

    @unittest.skipUnless(importlib.util.find_spec("tomllib"), "needs Python 3.11")
    def test_is_described_as_pyproject_says(self) -> None:
        import tomllib

        table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        self.assertEqual(build_backend.project(), table)

    def test_imports_only_the_standard_library(self) -> None:
        known = getattr(sys, "stdlib_module_names", None)
        if known is None:
            self.skipTest("needs Python 3.10")
        foreign = set()
        # The adapter for LangChain is imported only by those who use it.
        for path in (path for path in SOURCES if path.name != "langchain.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                foreign |= {f"{path.name}: {name}" for name in names if name.split(".")[0] not in known}
        self.assertEqual(foreign, set())
        self.assertGreater(len(SOURCES), 25)

    def test_has_no_source_file_over_400_lines_and_no_line_over_130_characters(self) -> None:
        for path in SOURCES:
            lines = path.read_text(encoding="utf-8").splitlines()
            if path.name != "api_types.py":
                self.assertLessEqual(len(lines), 400, path)
                self.assertLessEqual(max(map(len, lines), default=0), 130, path)

    def test_can_be_built_installed_and_imported(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            wheel = Path(directory, build_backend.build_wheel(directory))
            again = tempfile.mkdtemp(dir=directory)
            build_backend.build_wheel(again)
            self.assertEqual(wheel.read_bytes(), Path(again, wheel.name).read_bytes())
            with zipfile.ZipFile(wheel) as archive:
                names = archive.namelist()
                archive.extractall(Path(directory, "site"))
            self.assertIn("keepsake_client/py.typed", names)
            self.assertEqual([name for name in names if name.startswith("keepsake_client/")], [
                path.relative_to(ROOT / "src").as_posix()
                for path in sorted((ROOT / "src" / "keepsake_client").rglob("*"))
                if path.is_file() and "__pycache__" not in path.parts
            ])
            code = "import keepsake_client as k; print(k.__version__, k.Keepsake('http://x'))"
            outside = {"cwd": directory, "env": {"PYTHONPATH": str(Path(directory, "site"))}}
            told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, **outside)
            self.assertEqual(told.stdout, f"{keepsake_client.__version__} <Keepsake http://x/api/v1 user_id=None>\n")
            with tarfile.open(Path(directory, build_backend.build_sdist(directory))) as archive:
                self.assertTrue(any(name.endswith("/build_backend.py") for name in archive.getnames()))
            if importlib.util.find_spec("pip") is not None:
                target = Path(directory, "installed")
                pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target"]
                subprocess.run([*pip, str(target), str(wheel)], check=True, capture_output=True)
                self.assertTrue((target / "keepsake_client" / "py.typed").exists())
