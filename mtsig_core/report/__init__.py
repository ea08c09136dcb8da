"""Results as rows, sentences and files: the numbers come first, their text last."""
