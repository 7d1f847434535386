"""What both front ends decide, without a window.

A presenter stands between the session and a view. It listens to the session, and tells the view what to draw; it offers
methods for what the user can do, and the view calls them. A view is whatever has the few methods that its protocol
names: a part of napari's panel, a part of the notebook's, or a record of calls in a test.
"""
