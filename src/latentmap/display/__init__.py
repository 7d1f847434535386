"""What both front ends show and say, without opening a window: fields, sentences, colours, coordinates, regions."""
