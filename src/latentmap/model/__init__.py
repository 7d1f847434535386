"""The paper's model: arrays in, arrays out."""
