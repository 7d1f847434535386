"""What both front ends show and say, without a window: fields, sentences, colours, coordinates, regions."""
