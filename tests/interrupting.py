"""Ctrl+C in the midst of a step: after so many lines of some files."""

import linecache


class Interruption:
    """For `sys.settrace`.

    Python looks for signals where functions begin and where calls have returned, and never between the last line of a
    `with` block and its end, for which it tells of the line of `with` once more.

    Attributes
    ----------
    came : bool
        Whether it has interrupted; where Python tidies up, it swallows that.
    """

    def __init__(self, n_lines, within="latentmap"):
        self._left, self._within = n_lines, within
        self.came = False

    def __call__(self, frame, event, _):
        name = frame.f_code.co_filename
        if self._within not in name:
            return None
        if event == "line":
            self._left -= 1
            if self._left <= 0 and not linecache.getline(name, frame.f_lineno).lstrip().startswith("with "):
                self.came = True
                raise KeyboardInterrupt
        return self
