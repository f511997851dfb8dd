# SPDX-License-Identifier: BSD-2-Clause
"""What an import finds out, beside the board itself."""

from dataclasses import dataclass, field


@dataclass
class Findings:
    """Sentences for people, each once."""

    problems: list[str] = field(default_factory=list)
    """why this cannot be a board"""
    notes: list[str] = field(default_factory=list)
    """what the tree does not say, was assumed, or was not understood"""

    def problem(self, sentence: str) -> None:
        """Say why it cannot be a board."""
        if sentence not in self.problems:
            self.problems.append(sentence)

    def note(self, sentence: str) -> None:
        """Say what a person should look at."""
        if sentence not in self.notes:
            self.notes.append(sentence)
