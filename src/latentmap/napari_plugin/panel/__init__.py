"""The panel that is docked beside the viewer, part by part."""
