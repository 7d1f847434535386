"""verbose=True shows the progress of a fit, and changes nothing."""

import io
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from latentmap import LVM
from latentmap.methods import METHODS, available
from latentmap.session import Parameters

X = load_iris().data[::2]


def test_a_bar_of_tqdm_and_the_same_bits(capsys):
    pytest.importorskip("tqdm")
    quiet = LVM(max_iter=8).fit(X)
    assert capsys.readouterr() == ("", "")
    loud = LVM(max_iter=8, verbose=True).fit(X)
    assert "Latent variable model: 100%" in capsys.readouterr().err
    np.testing.assert_array_equal(loud.embedding_, quiet.embedding_)


def test_lines_without_tqdm(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    LVM(max_iter=8, verbose=True).fit(X)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Latent variable model: neighbours, iteration 0 of 8"
    assert lines[-1] == "Latent variable model: embedding, iteration 8 of 8"
    assert 6 <= len(lines) <= 12


def test_a_callback_still_stops_it(capsys):
    lvm = LVM(max_iter=8, verbose=True, callback=lambda state: state.iteration == 2).fit(X)
    assert lvm.n_iter_ == 2


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("name", list(available()))
def test_every_method_has_it(name, capsys):
    pytest.importorskip("tqdm")
    beside = np.column_stack([np.arange(73), np.arange(1, 74), np.arange(2, 75)]) if name == "comparisons" else None
    kind = available()[name]
    short = {"max_iter": 3} if "max_iter" in kind().get_params() else {}
    quiet = kind(**short).fit(X, beside)
    assert capsys.readouterr() == ("", "")
    loud = kind(**short, verbose=True).fit(X, beside)
    out, err = capsys.readouterr()
    assert out == ""
    assert kind.title in err
    assert ("3/3" if short else "1/1") in err
    np.testing.assert_array_equal(loud.embedding_, quiet.embedding_)
    with pytest.raises(ValueError, match=r"^verbose, whether fit shows its progress"):
        kind(verbose=2).fit(X, beside)


@pytest.mark.parametrize("name", list(METHODS))
def test_no_record_and_no_form_has_it(name):
    assert "verbose" not in METHODS[name].defaults
    assert "verbose" not in METHODS[name].fields
    assert "verbose" not in Parameters().model


def test_what_is_no_flag_is_said():
    with pytest.raises(ValueError, match=r"^verbose, whether fit shows its progress, is 'yes'"):
        LVM(verbose="yes").fit(X)


def test_nothing_else_is_written_to(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    LVM(max_iter=2, verbose=True).fit(X)
    assert out.getvalue() == ""
