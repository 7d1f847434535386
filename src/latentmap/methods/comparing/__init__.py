"""Maps from what somebody says of which cells are alike."""
