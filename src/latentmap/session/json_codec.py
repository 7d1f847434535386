"""Dataclasses as JSON and back, with arrays stored separately. The types of the fields say how, and are checked."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from latentmap.session.array_store import ArrayStore, Damaged
from latentmap.session.columns import StoredKeys, StoredTable


def encode(kind: Any, value: Any, store: ArrayStore) -> Any:
    """Turn a value into objects that JSON can hold; its arrays go to the store.

    Parameters
    ----------
    kind : type
        The type of the value: a dataclass or named tuple, a tuple or mapping of these, an array, a table under the keys
        of cells, such keys alone, or a type of JSON.
    value : object
    store : ArrayStore

    Raises
    ------
    ValueError
        If it holds something that cannot be written.
    """
    if kind is np.ndarray:
        return store.put(value)
    if kind is pd.DataFrame:
        return encode(StoredTable, StoredTable.of(value), store)
    if kind is pd.MultiIndex:
        return encode(StoredKeys, StoredKeys.of(value), store)
    if parts := _parts(kind):
        return {name: encode(part, getattr(value, name), store) for name, part in parts.items()}
    if get_origin(kind) is tuple:
        return [encode(part, item, store) for part, item in zip(_item_types(kind, value), value, strict=True)]
    if get_origin(kind) is Mapping:
        return {name: encode(get_args(kind)[1], item, store) for name, item in value.items()}
    if get_origin(kind) in (Union, UnionType) and value is not None and (part := _optional_type(kind)):
        return encode(part, value, store)
    # What cannot be read again must not be written.
    return decode(kind, _plain(value), store)


def decode(kind: Any, plain: Any, store: ArrayStore) -> Any:
    """Turn objects from JSON back into a value of a type that `encode` knows.

    Raises
    ------
    ValueError
        If it is not a value of that type.
    """
    if kind is np.ndarray:
        return store.get(_checked(str, plain))
    if kind is pd.DataFrame:
        return _table(plain, store)
    if kind is pd.MultiIndex:
        return decode(StoredKeys, plain, store).index()
    if parts := _parts(kind):
        return _record(kind, parts, _checked(dict, plain), store)
    if get_origin(kind) is tuple:
        kinds = _item_types(kind, _checked(list, plain))
        if len(kinds) != len(plain):
            raise Damaged(f"{plain!r:.40} has {len(plain)} items instead of {len(kinds)}")
        return tuple(decode(part, item, store) for part, item in zip(kinds, plain, strict=True))
    if get_origin(kind) is Mapping:
        return {name: decode(get_args(kind)[1], item, store) for name, item in _checked(dict, plain).items()}
    if get_origin(kind) in (Union, UnionType):
        if plain is not None and (part := _optional_type(kind)):
            return decode(part, plain, store)
        return _first(get_args(kind), plain, store)
    if get_origin(kind) is Literal:
        if not any(type(plain) is type(choice) and plain == choice for choice in get_args(kind)):
            raise Damaged(f"{plain!r:.40} is not one of {get_args(kind)}")
        return plain
    return plain if kind is Any else _checked(kind, plain)


@cache
def _parts(kind: Any) -> dict[str, Any]:
    """The fields of a dataclass or named tuple, and their types; empty for anything else."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return {field.name: hints[field.name] for field in fields(kind)}
    return get_type_hints(kind) if hasattr(kind, "_fields") else {}


def _record(kind: Any, parts: dict[str, Any], plain: dict[str, Any], store: ArrayStore) -> Any:
    if is_dataclass(kind):
        optional = {part.name for part in fields(kind) if part.default is not MISSING or callable(part.default_factory)}
    else:
        optional = set(kind._field_defaults)
    if wrong := (plain.keys() - parts.keys()) | (parts.keys() - plain.keys() - optional):
        raise Damaged(f"{kind.__name__} has the wrong fields: {', '.join(sorted(wrong))}")
    return kind(**{name: decode(parts[name], item, store) for name, item in plain.items()})


def _table(plain: Any, store: ArrayStore) -> pd.DataFrame:
    """A table, shared among runs of the same cells."""
    name = json.dumps(plain)
    if name not in store.tables:
        store.tables[name] = decode(StoredTable, plain, store).table()
    return store.tables[name]


def _item_types(kind: Any, value: Iterable[Any]) -> list[Any]:
    """The types of a tuple's items."""
    kinds = get_args(kind)
    return [kinds[0] for _ in value] if kinds[-1] is ... else list(kinds)


def _optional_type(kind: Any) -> Any:
    """The type that a value has if it is not None."""
    kinds = [part for part in get_args(kind) if part is not type(None)]
    return kinds[0] if len(kinds) == 1 else None


def _first(kinds: tuple[Any, ...], plain: Any, store: ArrayStore) -> Any:
    for kind in kinds:
        try:
            return decode(kind, plain, store)
        except Damaged:
            pass
    raise Damaged(f"{plain!r:.40} is not one of {kinds}")


def _checked(kind: type, plain: Any) -> Any:
    # Whole numbers pass as floats, but booleans do not pass as numbers.
    if type(plain) is kind or (kind is float and type(plain) is int):
        return plain
    raise Damaged(f"{plain!r:.40} is not of the type {kind.__name__}")


def _plain(value: Any) -> Any:
    """A value as JSON holds it, with lists for tuples."""
    if isinstance(value, np.generic):
        return value.item()
    try:
        return json.loads(json.dumps(value))
    except TypeError as error:
        raise ValueError(f"A session file cannot hold {value!r:.60}: give numbers, words, lists of these.") from error
