"""What of a map not to believe: both front ends' tab "Trust", decided without a window."""
