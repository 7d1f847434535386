"""Dataclasses as JSON and back, with arrays stored separately. The types of the fields say how, and are checked."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from latentmap.session.columns import Frame, Keys
from latentmap.session.shelf import Damaged, Shelf


def pack(kind: Any, value: Any, shelf: Shelf) -> Any:
    """Turn a value into objects that JSON can hold; its arrays go to the shelf.

    Parameters
    ----------
    kind : type
        The type of the value: a dataclass or named tuple, a tuple or mapping of these, an array, a table under the keys
        of cells, such keys alone, or a type of JSON.
    value : object
    shelf : Shelf

    Raises
    ------
    ValueError
        If it holds something that cannot be written.
    """
    if kind is np.ndarray:
        return shelf.put(value)
    if kind is pd.DataFrame:
        return pack(Frame, Frame.of(value), shelf)
    if kind is pd.MultiIndex:
        return pack(Keys, Keys.of(value), shelf)
    if parts := _parts(kind):
        return {name: pack(part, getattr(value, name), shelf) for name, part in parts.items()}
    if get_origin(kind) is tuple:
        return [pack(part, item, shelf) for part, item in zip(_item_types(kind, value), value, strict=True)]
    if get_origin(kind) is Mapping:
        return {name: pack(get_args(kind)[1], item, shelf) for name, item in value.items()}
    if get_origin(kind) in (Union, UnionType) and value is not None and (part := _optional_type(kind)):
        return pack(part, value, shelf)
    # What cannot be read again must not be written.
    return unpack(kind, _plain(value), shelf)


def unpack(kind: Any, plain: Any, shelf: Shelf) -> Any:
    """Turn objects from JSON back into a value of a type that `pack` knows.

    Raises
    ------
    ValueError
        If it is not a value of that type.
    """
    if kind is np.ndarray:
        return shelf.get(_checked(str, plain))
    if kind is pd.DataFrame:
        return _table(plain, shelf)
    if kind is pd.MultiIndex:
        return unpack(Keys, plain, shelf).index()
    if parts := _parts(kind):
        return _record(kind, parts, _checked(dict, plain), shelf)
    if get_origin(kind) is tuple:
        return tuple(
            unpack(part, item, shelf)
            for part, item in zip(_item_types(kind, _checked(list, plain)), plain, strict=True)
        )
    if get_origin(kind) is Mapping:
        return {name: unpack(get_args(kind)[1], item, shelf) for name, item in _checked(dict, plain).items()}
    if get_origin(kind) in (Union, UnionType):
        if plain is not None and (part := _optional_type(kind)):
            return unpack(part, plain, shelf)
        return _first(get_args(kind), plain, shelf)
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


def _record(kind: Any, parts: dict[str, Any], plain: dict[str, Any], shelf: Shelf) -> Any:
    if is_dataclass(kind):
        optional = {part.name for part in fields(kind) if part.default is not MISSING or callable(part.default_factory)}
    else:
        optional = set(kind._field_defaults)
    if wrong := (plain.keys() - parts.keys()) | (parts.keys() - plain.keys() - optional):
        raise Damaged(f"{kind.__name__} has the wrong fields: {', '.join(sorted(wrong))}")
    return kind(**{name: unpack(parts[name], item, shelf) for name, item in plain.items()})


def _table(plain: Any, shelf: Shelf) -> pd.DataFrame:
    """A table, shared among runs of the same cells."""
    name = json.dumps(plain)
    if name not in shelf.frames:
        shelf.frames[name] = unpack(Frame, plain, shelf).table()
    return shelf.frames[name]


def _item_types(kind: Any, value: Iterable[Any]) -> list[Any]:
    """The types of a tuple's items."""
    kinds = get_args(kind)
    return [kinds[0] for _ in value] if kinds[-1] is ... else list(kinds)


def _optional_type(kind: Any) -> Any:
    """The type that a value has if it is not None."""
    kinds = [part for part in get_args(kind) if part is not type(None)]
    return kinds[0] if len(kinds) == 1 else None


def _first(kinds: tuple[Any, ...], plain: Any, shelf: Shelf) -> Any:
    for kind in kinds:
        try:
            return unpack(kind, plain, shelf)
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
