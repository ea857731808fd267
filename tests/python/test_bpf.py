# SPDX-License-Identifier: GPL-2.0
"""The bpftrace scripts, which get numbers from trace events, have the names that the core has for them."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "dm-ssdqos/core"


def x_macro(header: str, name: str) -> list[str]:
    """Texts of the rows (SYMBOL, "text") of an x-macro, in order."""
    text = (CORE / header).read_text().split(f"#define {name}(", 1)[1]
    body = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", text)[0]
    return re.findall(r'\b[A-Z]\(\w+, "([^"]*)"\)', body)


def script_names(script: str, array: str) -> dict[int, str]:
    """What BEGIN puts into an array of names."""
    text = (ROOT / "tools/bpf" / script).read_text()
    return {int(number): name for number, name in re.findall(rf'^\t@{array}\[(\d+)\] = "([^"]*)";$', text, re.M)}


class Names(unittest.TestCase):
    def test_who_delayed_whom(self) -> None:
        for array, name in (("reason_name", "SSDQOS_EDF_REASONS"), ("decision_name", "SSDQOS_EDF_DECISIONS")):
            self.assertEqual(dict(enumerate(x_macro("qos/edf.h", name))), script_names("who-delayed-whom.bt", array))

    def test_reasons_of_discards(self) -> None:
        self.assertEqual(dict(enumerate(x_macro("trim/trim.h", "SSDQOS_TRIM_WHYS"))), script_names("trim.bt", "why_name"))

    def test_fields_of_discards(self) -> None:
        """What the script asks of an event is there."""
        events = (ROOT / "dm-ssdqos/dm/qos/trace.h").read_text()
        script = (ROOT / "tools/bpf/trim.bt").read_text()
        common = re.search(r"#define QOS_STREAM_FIELDS\b(.*?)\n\n", events, re.S)[1]
        for event, body in re.findall(r"^tracepoint:ssdqos:(\w+)\n(.*?)^}", script, re.M | re.S):
            has = re.search(rf"TRACE_EVENT\({event},(.*?)TP_fast_assign", events, re.S)[1] + common
            fields = set(re.findall(r"__field\(\w+, ?(\w+)\)", has))
            self.assertLessEqual(set(re.findall(r"args->(\w+)", body)), fields, event)

    def test_tasks(self) -> None:
        """All that have a share that can be changed, and the host."""
        rows = re.findall(r"^\tT\(X, \w+, (\w+), \w+, (\w+), ", (CORE / "flash/flash.h").read_text(), re.M)
        script = script_names("ssdqos.bt", "task")
        self.assertEqual(rows[0][0], "host")
        self.assertEqual({number: name for number, (name, _) in enumerate(rows) if number in script}, script)
        self.assertLessEqual({number for number, (_, share) in enumerate(rows) if share != "NONE"} | {0}, set(script))

    def test_decisions_of_garbage_collection(self) -> None:
        """Shorter than the core's: "gc_victim_chosen" is a "victim"."""
        events = x_macro("flash/log.h", "SSDQOS_FLASH_EVENTS")
        names = script_names("ssdqos.bt", "decision")
        self.assertEqual([number for number, event in enumerate(events) if event.startswith("gc_")], list(names))
        for number, name in names.items():
            self.assertTrue(events[number].startswith("gc_" + name.replace(" ", "_")), f"{name} is {events[number]}")


if __name__ == "__main__":
    unittest.main()
