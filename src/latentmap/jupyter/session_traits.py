"""Classes and runs of a session as traits of the widget, which other widgets and code can follow and set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

if TYPE_CHECKING:
    from latentmap.jupyter.explorer import Explorer


class ClassNames(traitlets.Tuple):
    """The class of each row of the widget's table, "" for none."""

    info_text = "the name of a class for each row, or an empty text"

    def validate(self, obj: Any, value: Any) -> tuple[str, ...]:
        """Return the names as a tuple of str, or raise TraitError."""
        names = () if isinstance(value, str) else tuple(value)
        n = obj.n_rows
        # By kinds and by different names, of which there are few: a million rows are looked at one by one in a second.
        are_words = all(issubclass(kind, str) for kind in {*map(type, names)})
        if (names or n) and (len(names) != n or not are_words):
            raise traitlets.TraitError(
                f"class_names holds the name of a class for each of the {n} rows of the widget's table, or an empty "
                f"text, but is {repr(value)[:100]}."
            )
        cleaned = {name: str(name).strip() for name in {*names}}
        if all(type(name) is str and name == clean for name, clean in cleaned.items()):
            return names
        return tuple(cleaned[name] for name in names)


class RunName(traitlets.Unicode[str, Any]):
    """The name of the run whose map is shown, "" for none."""

    def validate(self, obj: Any, value: Any) -> str:
        """Return the name, or raise TraitError if there is no such run."""
        names = [run.name for run in obj.session.runs]
        if value not in ("", *names):
            raise traitlets.TraitError(f"There is no run {value!r:.100}. There are {', '.join(names) or 'none'}.")
        return str(value)


class SessionTraits:
    """Keeps ``shown.class_names``, ``shown.current_run``, ``shown.run_names`` and ``shown.running`` as the session is.

    Parameters
    ----------
    shown : Explorer
        Whose traits they are.
    """

    def __init__(self, shown: Explorer) -> None:
        self._shown: Explorer | None = shown
        session = shown.session
        self._heard = (
            (session.classes.changed, self._tell_classes),
            (session.runs.changed, self._tell_runs),
            (session.runs.started, self._tell_runs),
            (session.runs.ended, self._tell_runs),
        )
        for signal, hear in self._heard:
            signal.connect(hear, max_args=0)
        shown.class_names = ("",) * shown.n_rows
        shown.observe(self._take_classes, "class_names")
        shown.observe(self._take_run, "current_run")

    def close(self) -> None:
        """Stop."""
        if self._shown is not None:
            self._shown.unobserve(self._take_classes, "class_names")
            self._shown.unobserve(self._take_run, "current_run")
        for signal, hear in self._heard:
            signal.disconnect(hear, missing_ok=True)
        self._shown = None

    def _tell_classes(self) -> None:
        if (shown := self._shown) is not None:
            session = shown.session
            names = session.classes.names_of(session.cell_index.numbers_of(shown.cells.features.index))
            shown.class_names = tuple(names.tolist())

    def _take_classes(self, change: Any) -> None:
        """Move the rows whose name is another one into the class of that name, or out of theirs."""
        if (shown := self._shown) is None:
            return
        classes, index = shown.session.classes, shown.session.cell_index
        index.add(shown.cells.features.index)
        numbers = index.numbers_of(shown.cells.features.index)
        wanted = np.array(change["new"], dtype=object)
        differs = wanted != classes.names_of(numbers)
        for name in dict.fromkeys(wanted[differs].tolist()):
            moved = numbers[differs & (wanted == name)]
            classes.assign(name, moved) if name else classes.unassign(moved)

    def _tell_runs(self) -> None:
        if (shown := self._shown) is not None:
            runs = shown.session.runs
            with shown.hold_trait_notifications():
                shown.set_trait("running", runs.running)
                shown.set_trait("run_names", tuple(run.name for run in runs))
                shown.current_run = "" if runs.current is None else runs.current.name

    def _take_run(self, change: Any) -> None:
        """Show the map of the run of this name; of several, the last one."""
        if (shown := self._shown) is None:
            return
        runs, name = shown.session.runs, change["new"]
        if name != ("" if runs.current is None else runs.current.name):
            runs.show(next((run for run in reversed([*runs]) if run.name == name), None))
