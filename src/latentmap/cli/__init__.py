"""The command line: measure, embed, transform, judge, compare and replay without a window."""
