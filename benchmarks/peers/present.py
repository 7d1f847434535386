"""Which records were made with the settings that their methods have now."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from benchmarks.peers.methods import METHODS
from benchmarks.peers.records import Record


def is_present(record: Record) -> bool:
    """Whether a record was made with the settings that its method has now."""
    method = METHODS.get(record["method"])
    return method is not None and _settings(record) == (record["method"], method.call, method.parameters)


def of_one_setting(records: Sequence[Record]) -> list[Record]:
    """Return, of each method, the records of one of its settings: those that it has now, else those measured last."""
    shown = {_settings(one)[0]: _settings(one) for one in [*records, *filter(is_present, records)]}
    return [one for one in records if _settings(one) == shown[one["method"]]]


def _settings(record: Record) -> tuple[str, str, str]:
    return itemgetter("method", "call", "parameters")(record)
