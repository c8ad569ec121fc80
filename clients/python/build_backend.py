"""Builds the package with the standard library alone (PEP 517), so that installing it from source needs no download.

`python3 build_backend.py [directory]` writes the wheel and the source archive, by default into `dist`.
"""

import ast
import base64
import csv
import gzip
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parent
#: The earliest time that a zip file can have: the same input gives the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


def project() -> Dict[str, Any]:
    """The `[project]` table of pyproject.toml. Python 3.9 can't read TOML; this table has only texts and lists of texts."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = re.split(r"^\[", text.split("[project]\n", 1)[1], flags=re.M)[0]
    return {name: ast.literal_eval(value) for name, value in re.findall(r"^([\w-]+) = (\".*\"|\[[^\]]*\])$", table, re.M)}


def _stem() -> str:
    facts = project()
    return f"{facts['name'].replace('-', '_')}-{facts['version']}"


def metadata() -> str:
    facts = project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {facts['name']}",
        f"Version: {facts['version']}",
        f"Summary: {facts['description']}",
        f"Keywords: {','.join(facts['keywords'])}",
        f"License-Expression: {facts['license']}",
        *(f"License-File: {name}" for name in facts["license-files"]),
        *(f"Classifier: {each}" for each in facts["classifiers"]),
        f"Requires-Python: {facts['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    readme: str = (ROOT / facts["readme"]).read_text(encoding="utf-8")
    return "\n".join(lines) + "\n\n" + readme


def _package_files() -> List[Path]:
    found = (ROOT / "src" / "keepsake_client").rglob("*")
    return sorted(path for path in found if path.is_file() and (path.suffix == ".py" or path.name == "py.typed"))


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    info = f"{_stem()}.dist-info"
    files: List[Tuple[str, bytes]] = [
        *((path.relative_to(ROOT / "src").as_posix(), path.read_bytes()) for path in _package_files()),
        (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()),
        (f"{info}/METADATA", metadata().encode("utf-8")),
        (
            f"{info}/WHEEL",
            b"Wheel-Version: 1.0\nGenerator: keepsake-client\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        ),
    ]
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
        rows.writerow([name, f"sha256={digest}", len(data)])
    rows.writerow([f"{info}/RECORD", "", ""])
    files.append((f"{info}/RECORD", record.getvalue().encode("utf-8")))
    wheel = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    name = f"{_stem()}.tar.gz"
    own = [ROOT / each for each in ("LICENSE", "README.md", "build_backend.py", "pyproject.toml")]
    files = [(path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in [*own, *_package_files()]]
    with open(Path(sdist_directory, name), "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, data in [*files, ("PKG-INFO", metadata().encode("utf-8"))]:
                entry = tarfile.TarInfo(f"{_stem()}/{path}")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
    return name


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    target.mkdir(parents=True, exist_ok=True)
    for built in (build_wheel(str(target)), build_sdist(str(target))):
        print(target / built)
