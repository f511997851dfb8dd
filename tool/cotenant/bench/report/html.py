# SPDX-License-Identifier: BSD-2-Clause
"""The frame of every page of the report. A page is complete in itself: it loads nothing."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from cotenant.errors import BenchError

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; --faint: #c9ccd1; --back: #ffffff; --text: #1c2024;
  --good: #1a7f43; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --faint: #474c54; --back: #15181c; --text: #e4e7eb; --good: #5fcf8b; --bad: #ff8a80; }
}
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--faint); padding-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--faint); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.yes { color: var(--good); } .no { color: var(--bad); font-weight: 600; }
.note { opacity: .75; } nav a { margin-right: 1rem; } a { color: inherit; }
figure { margin: 1.5rem 0; } details summary { cursor: pointer; }
</style>
</head>
<body>
<h1>$title</h1>
<p>$introduction</p>
<nav>$links</nav>
$sections
</body>
</html>
""")


def write(
    page: Path, title: str, introduction: str, links: Mapping[str, str], sections: Sequence[str]
) -> None:
    """Write a page with links {id: text} to its sections.

    All but title and links is HTML already. Raises BenchError if the page cannot be written.
    """
    anchors = "".join(f'<a href="#{name}">{escape(text)}</a>' for name, text in links.items())
    text = _PAGE.substitute(
        title=escape(title),
        introduction=introduction,
        links=anchors,
        sections="\n".join(sections),
    )
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{page} cannot be written: {error.strerror}") from error


def figure(title: str, picture: str) -> str:
    """Return a picture, which is an element already, below a heading if it has a title."""
    heading = f"<h3>{escape(title)}</h3>" if title else ""
    return f"{heading}<figure>{picture}</figure>"
