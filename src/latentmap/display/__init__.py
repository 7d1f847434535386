"""What both front ends show and how they say it, without a window: fields, sentences, colours, places, regions."""
