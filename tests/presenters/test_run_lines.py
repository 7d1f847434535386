"""What is said of the maps made so far."""

import numpy as np

from latentmap.presenters.run_lines import against_above, course, variances


def test_a_run_that_has_no_map_yet_says_so(session, cells):
    assert course(session.embed(cells)) == "This map is being made."


def test_the_course_of_the_likelihood_is_told_from_the_first_iteration_to_the_last(embed):
    run = embed()
    lines = course(run).splitlines()
    assert lines[0] == run.name
    assert lines[1] == f"{len(run.result.embedding)} cells by 2 features"
    assert "4 iterations" in lines
    assert lines[-1].endswith("at iteration 4")
    assert lines[-1].startswith("log-likelihood")


def test_a_run_says_in_what_it_differs_from_the_one_above(embed, session):
    first, second = embed(), embed(n_neighbors=9)
    third = embed()
    kept = list(session.runs)
    assert against_above(first, kept) == ""
    assert "9" in against_above(second, kept)
    assert against_above(third, kept) == f'Compared with "{second.name}": the same parameters.'


def test_variances_are_shown_where_they_tell_sure_places_from_unsure_ones(embed, session):
    assert variances(None, session.dropped) is None
    run = embed()
    assert variances(run, session.dropped) is run.result.variances
    assert variances(embed(method="isomap"), session.dropped) is None
    session.dropped.drop(run.numbers[:3])
    np.testing.assert_array_equal(variances(run, session.dropped), run.result.variances[3:])
    session.dropped.drop(run.numbers)
    assert variances(run, session.dropped) is None
