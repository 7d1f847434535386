"""The logic that both front ends share, without a window.

A presenter stands between the session and a view. It listens to the session and tells the view what to draw; the view
calls the presenter's methods when the user does something. Anything with the few methods of the protocol can be a view:
a part of the napari panel, a part of the notebook's panel, or a recorder of calls in a test.
"""
