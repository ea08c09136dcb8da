"""What asks more than one comparison: first what repeats a part of a paper, with a test set taken
for the truth.
"""
