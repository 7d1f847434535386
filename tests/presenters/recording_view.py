"""A view without a window: it remembers what it was told to draw."""


class RecordingView:
    """Any view: a method that no subclass has does nothing but remember its arguments."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self.calls.append((name, (*args, *kwargs.values())))

    def all(self, name):
        """What a method was called with, each time."""
        return [arguments for called, arguments in self.calls if called == name]

    def last(self, name):
        """What a method was called with the last time; its only argument, if there was one."""
        arguments = self.all(name)[-1]
        return arguments[0] if len(arguments) == 1 else arguments
