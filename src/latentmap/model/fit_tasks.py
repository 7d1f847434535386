"""scikit-learn's callbacks, where its version has them (1.9 or later): each iteration of a fit is a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from latentmap.model.state import FitProgress

Fit = TypeVar("Fit", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing, without callbacks to set."""

    def _with_callbacks(method: Any) -> Any:
        return method


def with_callbacks(method: Fit) -> Fit:
    """Return a method ``fit`` that releases the callbacks in the end, however it ends."""
    wrapped: Fit = _with_callbacks(method)
    return wrapped


class FitTasks:
    """The tasks of a fit, for the callbacks that were set with ``set_callbacks``.

    The root task is "fit", with as many subtasks "iteration" as there may be iterations. A task is told of when its
    iteration is done, since a fit may find that it has converged before it begins another one.

    Parameters
    ----------
    estimator : IterativeMethod
        Being fitted.
    X, y : object
        What it is fitted to.
    """

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self._told = {"estimator": estimator, "X": X, "y": y}
        self._root: Any = None

    def follow(self, progress: FitProgress) -> bool:
        """Tell the callbacks of the progress of the fit, and return whether one of them asks to stop."""
        estimator = self._told["estimator"]
        if not getattr(estimator, "_skl_callbacks", ()):
            return False
        if self._root is None:
            self._root = estimator._init_callback_context(max_subtasks=progress.max_iter)
            self._root.call_on_fit_task_begin(**self._told)
        if progress.state is None or progress.iteration == 0:
            return False

        def attributes() -> dict[str, Any]:
            # A callback that asks for a fitted estimator gets a copy of this one with its map so far.
            progress.keep()
            return {"embedding_": estimator.embedding_}

        task = self._root.subcontext(task_name="iteration")
        task.call_on_fit_task_begin(**self._told)
        return bool(task.call_on_fit_task_end(**self._told, reconstruction_attributes=attributes))

    def end(self) -> None:
        """Tell the callbacks that the fit is over."""
        if self._root is not None:
            self._root.call_on_fit_task_end(**self._told, reconstruction_attributes=dict)
