"""What is made of results is made once."""

from pages._work.memory import make_once


def test_the_same_objects_make_it_once_and_others_anew():
    made = []

    def make(*of):
        made.append(of)
        return len(made)

    one, other = [1], [1]  # equal, and not the same
    assert [make_once(make, one, "x") for _ in range(3)] == [1, 1, 1]
    assert make_once(make, other, "x") == 2 and make_once(make, one, "y") == 3 and make_once(make, one, "x") == 1
    assert make_once(make, 1) == 4 and make_once(make, True) == 5 and make_once(make, 1.0) == 6
    assert made[0][0] is one
