import pytest

from latentmap.session import Selection

A, B, C = ("cells", 0, 3), ("cells", 0, 7), ("cells", 1, 3)


@pytest.fixture
def heard():
    return []


@pytest.fixture
def selection(heard):
    selection = Selection()
    selection.changed.connect(lambda added, removed: heard.append((set(added), set(removed))))
    return selection


def test_replacing_is_one_event_that_says_what_happened(selection, heard):
    selection.replace([A, B])
    selection.replace([B, C])
    assert heard == [({A, B}, set()), ({C}, {A})]
    assert selection == {B, C}


def test_replacing_by_the_same_says_nothing(selection, heard):
    selection.replace([A, B])
    selection.replace([B, A])
    assert len(heard) == 1


def test_clearing(selection, heard):
    selection.replace([A, B])
    selection.clear()
    assert heard[1] == (set(), {A, B})


def test_a_change_from_within_settles_and_every_view_sees_it_in_order():
    selection, first, second = Selection(), [], []

    def only_frame_0(added, removed):
        first.append((added, removed))
        selection.replace([key for key in selection if key[1] == 0])

    selection.changed.connect(only_frame_0)
    selection.changed.connect(lambda added, removed: second.append((added, removed)))
    selection.replace([C])
    assert selection == set()
    assert first == second == [({C}, set()), (set(), {C})]
