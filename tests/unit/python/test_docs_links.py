# SPDX-License-Identifier: BSD-2-Clause
"""Links of the documents lead somewhere, and so do the paths of the glossary."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cotenant import paths

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_PATH = re.compile(r"`((?:monitor|tool|abi|tenants|boards|examples|linux)/[\w./-]+)`")


def documents() -> list[Path]:
    """Return the documents that are in the repository, or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    files = [paths.ROOT / name for name in names.stdout.split()]
    return [file for file in files if file.is_file()]


def anchors(document: Path) -> set[str]:
    """Return the anchors of the headings, made as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(document: Path) -> Iterator[str]:
    """Give the links of a document that lead nowhere."""
    for link in _LINK.findall(_CODE.sub("", document.read_text(encoding="utf-8"))):
        name, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = (document.parent / name) if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


@pytest.mark.parametrize("document", documents(), ids=lambda file: str(file.name))
def test_links_lead_somewhere(document: Path) -> None:
    assert not list(broken(document))


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` c\n[a](#a-b-c) [b](#none) [c](none.md) [d](page.md#a-b-c) `[e](none)` [f](https://x)\n"
    )
    assert list(broken(page)) == ["#none", "none.md"]


def test_files_of_the_glossary_exist() -> None:
    named = _PATH.findall((paths.ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    assert len(named) > 100
    assert not [name for name in named if not (paths.ROOT / name).exists()]


def test_the_glossary_has_each_term_once() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \|", (paths.ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE
    )
    terms = [term.strip() for row in rows if row != "term" for term in row.split(",")]
    assert [term for term in set(terms) if terms.count(term) > 1] == []


def test_source_files_that_documents_name_exist() -> None:
    """By their names, or by the end of their paths: `scheduler.c`, `core/scheduler.c`.

    What is in a folder that there is not here belongs to other projects.
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    files = [f"/{name}" for name in names.stdout.split() if (paths.ROOT / name).is_file()]
    ends = {file[at.start() :] for file in files for at in re.finditer("/", file)}
    folders = {part for file in files for part in file.split("/")[:-1]}
    missing = [
        f"{document.name}: {name}"
        for document in [paths.ROOT / "README.md", *(paths.ROOT / "docs").glob("**/*.md")]
        for name in re.findall(r"`([\w./-]+\.(?:c|h|S|py|pml|ld))`", document.read_text())
        if f"/{name}" not in ends and "NAME" not in name
        if "/" not in name or name.split("/")[0] in folders
    ]
    assert missing == []
