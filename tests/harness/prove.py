# SPDX-License-Identifier: BSD-2-Clause
"""Proves parts of the monitor free of undefined behaviour, with Frama-C: `make prove`.

tests/proofs/proofs.toml says what is analysed: an entry, which calls the part with any values, the
part's sources, and what is assumed of the rest. What Frama-C cannot show is an alarm. Each alarm
fails, unless tests/proofs/justified.toml says why it cannot happen; a justification that no alarm
needs fails as well, and so does a function of the sources that the entry does not reach. What this
prints is in docs/proofs.md; `--docs` writes it there, of some proofs if they are named.
"""

import argparse
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "tests" / "proofs"
DOCUMENT = ROOT / "docs" / "proofs.md"
BUILD = ROOT / "build" / "proofs"

# The monitor's data model is LP64, little endian, as this one, but for the sign of plain char, with
# which the monitor does no arithmetic.
_MACHINE = ("-machdep", "gcc_x86_64", "-c11")
# A function with neither a body nor a contract would be taken to do nothing wrong.
_STRICT = (
    "-kernel-warn-key=annot:missing-spec=abort,typing:implicit-function-declaration=abort",
    "-eva-warn-key=builtins:missing-spec=abort",
)
_EVA = (
    "-eva",
    "-eva-precision=3",
    "-warn-invalid-pointer",
    "-eva-split-return=full",
    "-eva-partition-history=1",
    "-eva-interprocedural-history",
)
# Headers that the programs for Linux find without a path.
_OF_LINUX = ("linux/cotenantctl",)
_COVERAGE = ("-then", "-metrics", "-metrics-eva-cover")
# What the report says of a property that holds. One that holds if others do is as good as those,
# which have lines of their own; one that is dead is at a place that nothing reaches.
_HOLDS = frozenset({"Valid", "Considered valid", "Partially proven", "Dead"})
_KEEP = re.compile(r"(?P<begin><!-- proofs -->\n).*?(?P<end><!-- /proofs -->)", re.DOTALL)
_COLUMNS = ("part", "functions", "statements reached", "alarms", "justified", "seconds")
_SECONDS = _COLUMNS.index("seconds")


class ProofError(Exception):
    """An analysis that came to no end, or files that make no sense."""


@dataclass(frozen=True)
class Proof:
    """A part of the monitor with the entry from which it is analysed."""

    name: str
    entry: str
    sources: tuple[str, ...]
    says: str
    assumes: tuple[str, ...]
    options: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    """sources that the entry itself includes, for what is static in them"""
    left_out: frozenset[str] = frozenset()
    """functions of the sources that the entry does not reach; the text of `assumes` says why"""
    seconds: int = 900


@dataclass(frozen=True, order=True)
class Alarm:
    """What could not be shown, without the line, which moves with every change above it."""

    function: str
    kind: str
    expression: str


@dataclass(frozen=True)
class Justified:
    """An alarm that cannot happen, and why."""

    entry: str
    alarm: Alarm
    reason: str


@dataclass
class Outcome:
    """What came of an analysis."""

    alarms: list[Alarm] = field(default_factory=list)
    places: dict[Alarm, str] = field(default_factory=dict)
    reached: dict[str, tuple[int, int]] = field(default_factory=dict)
    """of each function that is reached: its statements that are, and all"""
    unreached: frozenset[str] = frozenset()
    """functions of the sources"""
    seconds: float = 0.0


def plain_name(function: str) -> str:
    """Return a function's name without the number that Frama-C gives to one of several."""
    return re.sub(r"_\d+$", "", function)


def read_report(text: str) -> tuple[list[Alarm], dict[Alarm, str]]:
    """Return what a report (-report-csv) has that does not hold, and where: each once, sorted."""
    places: dict[Alarm, str] = {}
    lines = text.splitlines()
    if not lines or lines[0].split("\t")[-2:] != ["status", "property"]:
        raise ProofError("the report of Frama-C is not in the form that is known")
    for line in lines[1:]:
        _, file, number, function, kind, status, expression = line.split("\t", 6)
        # A precondition has a line for each call, too, with the place.
        if status not in _HOLDS and kind != "precondition":
            alarm = Alarm(plain_name(function), kind, expression.strip())
            places.setdefault(alarm, f"{file}:{number} ({status})")
    return sorted(places), places


def read_coverage(log: str) -> dict[str, tuple[int, int]]:
    """Return, of each function that was reached, how many of its statements were, and all."""
    reached: dict[str, tuple[int, int]] = {}
    for name, part, whole in re.findall(r"^  (\w+): (\d+) stmts out of (\d+) ", log, re.MULTILINE):
        before = reached.get(plain_name(name), (0, 0))
        reached[plain_name(name)] = (before[0] + int(part), before[1] + int(whole))
    return reached


def defined_functions(source: str) -> set[str]:
    """Return the functions that a C file in the project's format defines."""
    code = re.sub(r"/\*.*?\*/|__attribute__\(\(.*?\)\)", "", source, flags=re.DOTALL)
    head = r"^ ?(?:\w[\w *]*?[ *\n]+)?(\w+)\([^;{}]*\)\n\{"
    return set(re.findall(head, code, re.MULTILINE))


def read_proofs(text: str) -> list[Proof]:
    """Read tests/proofs/proofs.toml."""
    return [
        Proof(
            each["name"],
            each["entry"],
            tuple(each["sources"]),
            each["says"],
            tuple(each.get("assumes", ())),
            tuple(each.get("options", ())),
            tuple(each.get("includes", ())),
            frozenset(each.get("left_out", ())),
            each.get("seconds", 900),
        )
        for each in tomllib.loads(text)["proof"]
    ]


def read_justified(text: str) -> list[Justified]:
    """Read tests/proofs/justified.toml."""
    return [
        Justified(
            each["entry"],
            Alarm(each["function"], each["kind"], each["expression"]),
            each["reason"],
        )
        for each in tomllib.loads(text).get("justified", ())
    ]


def faults(proof: Proof, outcome: Outcome, justified: Iterable[Justified]) -> list[str]:
    """Return a line for each thing that is wrong with a proof."""
    mine = {each.alarm for each in justified if each.entry == proof.entry}
    found = set(outcome.alarms)
    return [
        *(
            f"{proof.entry}: {outcome.places.get(alarm, '')} in {alarm.function}: "
            f"{alarm.kind}: {alarm.expression}"
            for alarm in sorted(found - mine)
        ),
        *(
            f"{proof.entry}: justified, but there is no such alarm in {alarm.function}: "
            f"{alarm.kind}: {alarm.expression}"
            for alarm in sorted(mine - found)
        ),
        *(
            f"{proof.entry}: {name}() is not reached, and left_out does not name it"
            for name in sorted(outcome.unreached - proof.left_out)
        ),
        *(
            f"{proof.entry}: left_out names {name}(), which is reached or not there"
            for name in sorted(proof.left_out - outcome.unreached)
        ),
    ]


def unknown_entries(proofs: Iterable[Proof], justified: Iterable[Justified]) -> list[str]:
    """Return a line for each justification of a proof that is not there."""
    names = {proof.entry for proof in proofs}
    return [
        f"{each.entry}: justified, but there is no such proof"
        for each in justified
        if each.entry not in names
    ]


def row(proof: Proof, outcome: Outcome, justified: Iterable[Justified]) -> tuple[str, ...]:
    """Return the line of a proof in the table."""
    mine = {each.alarm for each in justified if each.entry == proof.entry}
    part = sum(each[0] for each in outcome.reached.values())
    whole = sum(each[1] for each in outcome.reached.values())
    alarms = len(outcome.alarms)
    known = len(mine & set(outcome.alarms))
    return (
        proof.name,
        str(len(outcome.reached)),
        f"{part} of {whole}",
        str(alarms),
        str(known) if alarms else "",
        f"{outcome.seconds:.0f}",
    )


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [_COLUMNS, ("---", *("---:" for _ in _COLUMNS[1:])), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def what_is_said(proofs: Iterable[Proof], justified: Sequence[Justified]) -> str:
    """Return, for the document, what each proof is of, what it assumes, and what is justified."""
    text = ""
    for proof in proofs:
        files = ", ".join(f"`{source}`" for source in proof.sources + proof.includes)
        text += f"- **{proof.name}** (`tests/proofs/{proof.entry}.c`; {files}). {proof.says}\n"
        text += "".join(f"  - assumed: {each}\n" for each in proof.assumes)
        text += "".join(
            f"  - justified: `{each.alarm.expression}` in `{each.alarm.function}()`: "
            f"{each.reason}\n"
            for each in justified
            if each.entry == proof.entry
        )
    return text


def rows_of(document: str) -> dict[str, tuple[str, ...]]:
    """Return the lines of the document's table by the name of their proof."""
    found = re.findall(r"^\| (.+ \| [\d.]+) \|$", document, re.MULTILINE)
    rows = [tuple(line.split(" | ")) for line in found]
    return {cells[0]: cells for cells in rows if len(cells) == len(_COLUMNS)}


def with_table(document: str, text: str) -> str:
    """Return the document with another text between its two marks."""
    if len(_KEEP.findall(document)) != 1:
        raise ProofError(f"{DOCUMENT.name} needs one <!-- proofs --> and its end")
    return _KEEP.sub(lambda found: f"{found['begin']}{text}{found['end']}", document)


def without_seconds(document: str) -> str:
    """Return a document without what differs from one machine to another."""
    lines = []
    for line in document.splitlines():
        cells = line.split(" | ")
        if len(cells) == len(_COLUMNS):
            cells[_SECONDS] = ""
        lines.append(" | ".join(cells))
    return "\n".join(lines)


def place(source: str) -> str:
    """Return where a source of a proof is: below monitor/, unless it is a program's for Linux."""
    return source if source.startswith("linux/") else f"monitor/{source}"


def command(proof: Proof, report: Path, libc: Path) -> list[str]:
    """Return the call of Frama-C."""
    includes = [
        "tests/proofs/include",
        "tests/unit/c/include",
        "monitor",
        ".",
        *_OF_LINUX,
        str(libc),
    ]
    flags = " ".join(f"-I{folder}" for folder in includes)
    return [
        "frama-c",
        *_MACHINE,
        *_STRICT,
        f"-cpp-extra-args={flags}",
        f"tests/proofs/{proof.entry}.c",
        *(place(source) for source in proof.sources),
        *_EVA,
        *proof.options,
        *_COVERAGE,
        "-then",
        f"-report-csv={report}",
    ]


def prove(proof: Proof, libc: Path) -> Outcome:
    """Run an analysis; its log and its report stay in build/proofs."""
    report, log = BUILD / f"{proof.entry}.csv", BUILD / f"{proof.entry}.log"
    report.unlink(missing_ok=True)
    begun = time.monotonic()
    with log.open("w", encoding="utf-8") as output:
        try:
            status = subprocess.run(
                command(proof, report, libc),
                cwd=ROOT,
                # It believes this about where it is: it would read the files of another checkout.
                env=os.environ | {"PWD": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=proof.seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired as error:
            raise ProofError(f"{proof.entry}: no end after {proof.seconds} s") from error
    seconds = time.monotonic() - begun
    if status != 0 or not report.exists():
        raise ProofError(f"{proof.entry}: Frama-C gave up, see {log.relative_to(ROOT)}")
    alarms, places = read_report(report.read_text(encoding="utf-8"))
    reached = read_coverage(log.read_text(encoding="utf-8"))
    defined: set[str] = set()
    for source in proof.sources + proof.includes:
        defined |= defined_functions((ROOT / place(source)).read_text(encoding="utf-8"))
    return Outcome(alarms, places, reached, frozenset(defined - set(reached)), seconds)


def _tried(proof: Proof, libc: Path) -> Outcome | ProofError:
    try:
        return prove(proof, libc)
    except ProofError as error:
        return error


def _chosen(proofs: list[Proof], names: list[str]) -> list[Proof]:
    unknown = set(names) - {proof.entry for proof in proofs}
    if unknown:
        raise ProofError(f"no such proof: {', '.join(sorted(unknown))}")
    return [proof for proof in proofs if not names or proof.entry in names]


def _run(names: list[str], write: bool) -> list[str]:
    all_proofs = read_proofs((PROOFS / "proofs.toml").read_text(encoding="utf-8"))
    justified = read_justified((PROOFS / "justified.toml").read_text(encoding="utf-8"))
    proofs = _chosen(all_proofs, names)
    libc = Path(subprocess.check_output(["frama-c", "-print-share-path"], text=True).strip())
    BUILD.mkdir(parents=True, exist_ok=True)
    wrong = unknown_entries(all_proofs, justified)
    rows = []
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
        for proof, outcome in zip(
            proofs, workers.map(lambda each: _tried(each, libc / "libc"), proofs), strict=True
        ):
            if isinstance(outcome, ProofError):
                wrong.append(str(outcome))
                continue
            wrong += faults(proof, outcome, justified)
            rows.append(row(proof, outcome, justified))
    written = table(rows)
    sys.stdout.write(written)
    if (write or not names) and not wrong:
        old = DOCUMENT.read_text(encoding="utf-8")
        known = rows_of(old) | {cells[0]: cells for cells in rows}
        whole = table([known[proof.name] for proof in all_proofs if proof.name in known])
        new = with_table(old, f"{whole}\n{what_is_said(all_proofs, justified)}")
        if write:
            DOCUMENT.write_text(new, encoding="utf-8")
        elif without_seconds(new) != without_seconds(old):
            wrong.append(f"{DOCUMENT.relative_to(ROOT)} has another table: run `make prove-docs`")
    return wrong


def main() -> int:
    """Prove what is asked for; exit status 0 means that nothing is wrong."""
    parser = argparse.ArgumentParser(description="Proves parts of the monitor with Frama-C.")
    parser.add_argument("names", nargs="*", help="entries of tests/proofs/; none: all of them")
    parser.add_argument("--docs", action="store_true", help="write the table to docs/proofs.md")
    arguments = parser.parse_args()
    try:
        wrong = _run(arguments.names, arguments.docs)
    except ProofError as error:
        wrong = [str(error)]
    for fault in wrong:
        sys.stdout.write(f"{fault}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
