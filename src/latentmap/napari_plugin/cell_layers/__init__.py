"""The layers that cells come from: which cells they have, where these lie, and lighting them up."""
