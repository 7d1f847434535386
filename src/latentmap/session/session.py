"""What both front ends share: one model of what the user decides and gets."""

from latentmap.session.classes import Classes
from latentmap.session.job import Post
from latentmap.session.look import Look
from latentmap.session.parameters import Parameters
from latentmap.session.register import Register
from latentmap.session.runs import Runs
from latentmap.session.selection import Selection


class Session:
    """Parameters, cells, selection, classes and runs, without a window.

    Views show these and change them, and know nothing of each other.

    Parameters
    ----------
    post : callable
        Has a function called soon in the thread of the front end.

    Attributes
    ----------
    parameters : Parameters
        What the user has set.
    register : Register
        Every cell that the session has met.
    selection : Selection
        The cells selected.
    classes : Classes
        The user's classes of cells.
    look : Look
        How the maps are drawn.
    runs : Runs
        The maps made, and the one being made.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> session = Session(SimpleQueue().put)
    >>> cells = session.register.enter([("cells", 0, 3), ("cells", 0, 7)])
    >>> session.selection.choose(cells[:1], how="click in the image")
    >>> session.classes.assign("dividing", session.selection.numbers, session.selection.story)
    >>> session.classes["dividing"].story[0].how
    'click in the image'
    """

    def __init__(self, post: Post) -> None:
        self.parameters = Parameters()
        self.register = Register()
        self.selection = Selection(self.register)
        self.classes = Classes(self.register)
        self.look = Look()
        self.runs = Runs(self.register, post)

    def close(self) -> None:
        """Tell no view of anything any more, and let go of the run under way."""
        for source in (self.selection.changed, self.classes.changed):
            source.disconnect()
        for source in (self.runs.started, self.runs.progressed, self.runs.ended, self.runs.changed):
            source.disconnect()
        self.runs.drop()
