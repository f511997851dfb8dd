# SPDX-License-Identifier: BSD-2-Clause
"""The layer test of the monitor finds circles and what goes upwards, in graphs that are made up."""

from dataclasses import replace
from pathlib import Path

import layers
import pytest
from layers import Rules, Upward
from monitor_edges import Edge, Object, call_edges, include_edges

RULES = Rules(("low", "middle", "features", "high"))
DOWN = Edge("high/a.c", "low/b.c", "b_do")
UP = Edge("low/b.c", "high/a.c", "a_do")


def test_what_only_goes_down_has_no_fault() -> None:
    edges = [DOWN, Edge("high/a.c", "high/c.c", "c_do"), Edge("middle/d.c", "low/b.c", "b_do")]
    assert layers.all_faults(["high/a.c", "low/b.c"], edges, [], RULES) == []


def test_the_shortest_circle_is_named_with_its_functions() -> None:
    calls = [
        Edge("low/a.c", "low/b.c", "b_do"),
        Edge("low/b.c", "low/c.c", "c_do"),
        Edge("low/c.c", "low/a.c", "a_do"),
        Edge("low/c.c", "low/d.c", "d_do"),
        Edge("low/d.c", "low/c.c", "c_end"),
        Edge("low/d.c", "low/c.c", "c_begin"),
    ]
    assert layers.circle_faults("calls", calls) == [
        "calls in a circle: low/c.c -> low/d.c (d_do) -> low/c.c (c_begin, c_end)"
    ]


def test_a_long_circle_is_found() -> None:
    names = [f"low/{letter}.h" for letter in "abcde"]
    includes = [Edge(user, used) for user, used in zip(names, names[1:] + names[:1], strict=True)]
    assert layers.shortest_circle(includes) == [*names, names[0]]
    assert layers.shortest_circle(includes[1:]) == []


def test_a_file_that_includes_itself_is_a_circle() -> None:
    assert layers.shortest_circle([Edge("low/a.h", "low/a.h")]) == ["low/a.h", "low/a.h"]


@pytest.mark.parametrize("edge", [UP, Edge("low/b.c", "high/a.h"), Edge("low/b.h", "high/a.h")])
def test_an_upward_edge_is_a_fault(edge: Edge) -> None:
    (fault,) = layers.upward_faults([DOWN, edge], RULES)
    assert fault.startswith(f"upwards: {edge.user} -> {edge.used}")
    assert edge.symbol in fault


def test_features_do_not_use_each_other() -> None:
    inside = Edge("features/one/a.c", "features/one/b.c", "b_do")
    across = Edge("features/one/a.c", "features/two/c.c", "c_do")
    assert layers.upward_faults([inside, across], RULES) == [
        "upwards: features/one/a.c -> features/two/c.c (c_do)"
    ]


def test_a_feature_uses_those_that_it_needs() -> None:
    across = Edge("features/one/a.c", "features/two/c.c", "c_do")
    back = Edge("features/two/c.c", "features/one/a.c", "a_do")
    rules = replace(RULES, needs={"features/one": frozenset({"features/two"})})
    assert layers.upward_faults([across], rules) == []
    assert layers.upward_faults([back], rules) == [
        "upwards: features/two/c.c -> features/one/a.c (a_do)"
    ]


def test_functions_of_a_feature_that_is_known_as_a_constant_are_called_from_below() -> None:
    call = Edge("low/b.c", "features/one/a.c", "a_do")
    header = Edge("low/b.c", "features/one/a.h")
    rules = replace(RULES, constant=frozenset({"features/one"}))
    assert layers.upward_faults([call], rules) == []
    assert layers.upward_faults([call, header], RULES) != []
    assert layers.upward_faults([header], rules) == ["upwards: low/b.c -> features/one/a.h"]


def test_what_a_feature_needs_is_read_from_its_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "needs").write_text("two\n")
    assert layers.read_needs(tmp_path) == {"features/one": frozenset({"features/two"})}


def test_a_header_of_state_may_be_included_but_its_functions_not_called() -> None:
    rules = replace(RULES, state=frozenset({"high/a.h"}))
    assert layers.all_faults(["low/b.c"], [], [Edge("low/b.c", "high/a.h")], rules) == []
    assert layers.upward_faults([UP], rules) == ["upwards: low/b.c -> high/a.c (a_do)"]


def test_an_exception_allows_its_functions_and_no_others() -> None:
    rules = replace(RULES, exceptions=(Upward("low/b", "high/a", frozenset({"a_do"}), "old"),))
    header = Edge("low/b.c", "high/a.h")
    assert layers.all_faults(["low/b.c"], [UP], [header], rules) == []
    another = Edge("low/b.c", "high/a.c", "a_undo")
    assert layers.upward_faults([UP, another, header], rules) == [
        "upwards: low/b.c -> high/a.c (a_undo)"
    ]


def test_what_is_not_needed_any_more_is_a_fault() -> None:
    rules = replace(
        RULES,
        state=frozenset({"high/state.h"}),
        exceptions=(
            Upward("low/b", "high/a", frozenset({"a_do", "a_gone"}), "old"),
            Upward("low/b", "high/gone", frozenset(), "older"),
        ),
    )
    assert layers.needless_faults([UP], rules) == [
        "not needed any more: a_gone of the exception low/b -> high/a",
        "not needed any more: the exception low/b -> high/gone",
        "not needed any more: high/state.h as a header of state",
    ]


def test_a_folder_without_a_place_is_a_fault() -> None:
    (fault,) = layers.all_faults(["new/a.c", "low/b.c"], [], [], RULES)
    assert "monitor/new/" in fault


def test_calls_are_references_to_what_others_define() -> None:
    objects = {
        "low/b.c": Object(frozenset({"b_do", "b_own"}), frozenset({"b_own", "memcpy", ""})),
        "high/a.c": Object(frozenset({"a_do"}), frozenset({"b_do"})),
    }
    assert call_edges(objects) == [DOWN]


def test_a_function_that_is_there_to_be_replaced_is_not_called_upwards() -> None:
    objects = {
        "low/b.c": Object(frozenset({"b_do"}), frozenset({"a_do"})),
        "low/c.c": Object(frozenset({"a_do"}), frozenset(), weak=frozenset({"a_do"})),
        "high/a.c": Object(frozenset({"a_do"}), frozenset()),
    }
    assert call_edges(objects) == [Edge("low/b.c", "low/c.c", "a_do")]


def test_includes_are_lines_of_the_sources() -> None:
    texts = {
        "low/b.c": '#include "low/b.h"\n  # include "high/a.h"\n#include <stdint.h>\n',
        "low/b.h": '#include "abi/bundle.h"\n/* #include "high/a.h" */\n',
        "high/a.h": "",
    }
    assert include_edges(texts) == [Edge("low/b.c", "high/a.h"), Edge("low/b.c", "low/b.h")]


def test_the_rules_of_the_monitor_can_be_read() -> None:
    rules = layers.read_rules(layers.RULES)
    assert rules.order[0] == "arch"
    assert all(each.reason for each in rules.exceptions)
