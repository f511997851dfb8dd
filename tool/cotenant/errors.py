# SPDX-License-Identifier: BSD-2-Clause
"""The errors that are meant for the user, and the mistakes that are found in a description."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mistake:
    """One mistake: where it is, what is wrong, and what to do about it."""

    file: str
    key: str
    """Dotted path of the key, such as `tenant.linux.memory`; empty: the file as a whole."""
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}: {self.key}" if self.key else self.file
        return (
            f"{place}: {self.problem}; {self.remedy}"
            if self.remedy
            else (f"{place}: {self.problem}")
        )

    def as_dict(self) -> dict[str, str]:
        """Return the JSON form."""
        return {
            "file": self.file,
            "key": self.key,
            "problem": self.problem,
            "remedy": self.remedy,
        }


class CotenantError(Exception):
    """Base of the errors that are meant for the user: the message is a plain sentence."""


class BuildError(CotenantError):
    """A valid description could not be built."""


class RunError(CotenantError):
    """A system could not be started, or did not do what was asked of it."""


class MachineEndedError(RunError):
    """QEMU ended while something was still expected of the machine."""


class TenantEndedError(RunError):
    """A tenant stopped or crashed while something was still expected of it."""


class WaitTimeoutError(RunError):
    """The wall-clock limit, the last resort, ran out."""


class TraceError(CotenantError):
    """A trace could not be read or recorded, or a file is not one."""


class ImageError(CotenantError):
    """An image of the catalogue could not be fetched or made."""


class BenchError(CotenantError):
    """A benchmark has no complete result."""


class ConfigError(CotenantError):
    """A description is wrong; `mistakes` holds everything found in it."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(str(mistake) for mistake in mistakes))
        self.mistakes = tuple(mistakes)


class Mistakes:
    """Collects the mistakes of one file, so that the user sees all of them in one run."""

    def __init__(self, file: Path | str) -> None:
        self.file = str(file)
        self.found: list[Mistake] = []

    def add(self, key: str, problem: str, remedy: str = "") -> None:
        """Note a mistake at a key, once; the caller goes on with what is left."""
        mistake = Mistake(self.file, key, problem, remedy)
        if mistake not in self.found:
            self.found.append(mistake)

    def stop_if_any(self) -> None:
        """Raise ConfigError if anything was found so far."""
        if self.found:
            raise ConfigError(self.found)


class BoundsError(CotenantError):
    """A bound cannot be computed: of what in the monitor, and why."""
