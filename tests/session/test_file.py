import io
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from latentmap.session import ColourBy, LayerSnapshot, SessionSnapshot, load, save, script_text
from latentmap.session.array_store import ArrayStore
from latentmap.table import CellTable


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(40, 2)), columns=["area", "DNA"]).assign(label=[3, 7, *range(1000, 1038)])
    rows["spots"] = pd.array([None, *range(39)], dtype="Int64")
    rows["type"] = pd.Categorical(rng.choice(["B", "T"], 40))
    rows.loc[5, "area"] = np.nan
    return CellTable.read(rows, layer="Zellen µ")


@pytest.fixture
def session(new, loop, table):
    """A session with something of everything."""
    session = new()
    session.parameters.features, session.parameters.n_neighbors = ("area", "DNA"), 5
    session.parameters.max_iter, session.parameters.dof = 4, float("inf")
    cells = session.cell_index.add(table.features.index)
    for only in (None, cells[:30]):
        session.embed(table, only)
        loop.turn(lambda: not session.runs.running, seconds=60)
    session.runs.rename(next(iter(session.runs)), "die erste")
    session.runs.show(next(iter(session.runs)))
    session.selection.select(cells[4:9], how="lasso on the map")
    session.selection.select(cells[6:], "subtract", how="click in the image")
    session.classes.assign("B cells", cells[:3], session.selection.story)
    session.classes.assign("dividing", cells[2:8])
    session.classes.recolour("B cells", "#102030")
    session.dropped.drop(cells[[1, 4]], session.selection.story)
    session.selection.select(cells[20:])
    session.selection.undo()
    session.display_settings.colour_by, session.display_settings.sized_by_variance = ColourBy("feature", "DNA"), True
    return session


@pytest.fixture
def layers():
    labels = np.zeros((60, 50), dtype=np.uint16)
    labels[3:9, 4:20] = 1000
    return (
        LayerSnapshot("Zellen µ", "labels", {"data": labels}, {"scale": [0.5, 0.5], "visible": True, "units": None}),
        LayerSnapshot(
            "DAPI",
            "image",
            {"0": np.asfortranarray(np.random.default_rng(0).normal(size=(6, 5, 4))), "empty": np.empty((0, 3), ">f4")},
            {},
        ),
    )


@pytest.fixture
def path(session, layers, tmp_path):
    return save(session, tmp_path / "tissue.latentmap", layers)


def same(one, other):
    """Assert that two values are the same to the last bit."""
    assert isinstance(other, Mapping if isinstance(one, Mapping) else type(one))
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    elif isinstance(one, pd.MultiIndex):
        assert one.equals(other)
    elif isinstance(one, Mapping):
        assert list(one) == list(other)
        for name in one:
            same(one[name], other[name])
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            same(first, second)
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            same(getattr(one, field.name), getattr(other, field.name))
    else:
        assert one == other


def opened(path):
    """Return the session in a file, or None if it was refused in words."""
    try:
        return load(path)
    except ValueError as error:
        sentence = str(error)
    assert sentence.startswith(f'"{path.name}" cannot be opened: ')
    return None


def opens_the_same_or_not_at_all(path, original):
    if (found := opened(path)) is None:
        return False
    same(found, original)
    return True


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path, changed):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in changed.items():
            archive.writestr(name, data)


def with_document(path, change):
    """Change the document of a session, which alone has no fingerprint."""
    parts = members(path)
    document = json.loads(parts["session.json"])
    change(document)
    rewrite(path, {**parts, "session.json": json.dumps(document)})


def test_what_is_read_is_what_was_written(path, session, layers):
    found = load(path)
    same(found, SessionSnapshot.of(session, layers))
    for layer in found.layers:
        assert all(array.flags.writeable for array in layer.arrays.values())


def test_a_new_session_is_filled_with_all_of_it(path, session, new):
    again = new()
    load(path).restore(again)
    assert asdict(again.parameters) == asdict(session.parameters)
    assert again.display_settings.colour_by == ColourBy("feature", "DNA")
    assert list(again.classes) == list(session.classes)
    np.testing.assert_array_equal(again.classes.members("dividing"), session.classes.members("dividing"))
    np.testing.assert_array_equal(again.dropped.numbers, session.dropped.numbers)
    assert again.selection.keys.equals(session.selection.keys)
    assert again.selection.story == session.selection.story
    again.selection.redo()
    session.selection.redo()
    assert again.selection.keys.equals(session.selection.keys)
    assert again.runs.current is next(iter(again.runs))
    for one, other in zip(again.runs, session.runs, strict=True):
        assert (one.name, one.status, one.parameters) == (other.name, other.status, other.parameters)
        assert one.table.notes == other.table.notes
        same(one.numbers, other.numbers)
        same(one.result.rows(), other.result.rows())
        assert one.result.quality == other.result.quality
        assert one.result.estimator is None
        assert script_text(one) == script_text(other)


def test_files_from_before_there_were_other_methods_are_read(path, session):
    then = {"min_neighbors": 0, "row_normalized": False, "local_scaling": 0.0, "init": "spectral"}
    since = {"tied_variances": False, "vote_power": 1.0, "connect": "bridge"}

    def make_older(document):
        document["version"] = 1
        for parameters in (document["session"]["parameters"], *(r["parameters"] for r in document["session"]["runs"])):
            for name in ("method", "options", *then, *since):
                del parameters[name]
        for run in document["session"]["runs"]:
            run["map"]["log_likelihood"] = run["map"].pop("objective")
            run["map"]["log_likelihood_iterations"] = run["map"].pop("objective_iterations")
            del run["map"]["taught"], run["map"]["remarks"], run["map"]["made_elsewhere"], run["map"]["turn"]

    with_document(path, make_older)
    opened = load(path)
    assert opened.parameters == replace(session.parameters, **then)
    for stored, run in zip(opened.runs, session.runs, strict=True):
        np.testing.assert_array_equal(stored.map.objective, run.result.objective)
        assert stored.parameters.method == "lvm"
        assert {name: getattr(stored.parameters, name) for name in then | since} == then | since


@pytest.mark.parametrize(("few", "scales"), [(3000, [1.0, 1.0]), (35, ["auto", 1.0])])
def test_a_map_of_few_cells_keeps_the_scale_that_was_automatic(path, monkeypatch, few, scales):
    monkeypatch.setattr("latentmap.session.file._ROWS_AT_SCALE_1", few)

    def make_older(document):
        document["version"] = 6
        for run in document["session"]["runs"]:
            run["parameters"]["similarity_scale"] = "auto"

    with_document(path, make_older)
    assert [run.parameters.similarity_scale for run in load(path).runs] == scales


def test_a_session_that_has_things_is_replaced_and_its_views_hear_of_it(path, session, new, table, loop):
    again, heard = new(), []
    again.cell_index.add([("elsewhere", 0, 1), ("elsewhere", 0, 2)])
    other = CellTable.read(table.features[["area", "DNA"]].reset_index().assign(layer="other"), layer="other")
    again.parameters.features, again.parameters.n_neighbors, again.parameters.max_iter = ("DNA",), 4, 2
    again.embed(other)
    loop.turn(lambda: not again.runs.running, seconds=60)
    again.classes.assign("old", [0, 5])
    again.selection.select([0, 1])
    again.dropped.drop([3])
    again.parameters.max_iter = 100_000
    under_way = again.embed(other)
    again.runs.changed.connect(lambda: heard.append("runs"))
    again.runs.ended.connect(lambda run: heard.append(f"ended {run.status}"))
    again.classes.changed.connect(lambda: heard.append("classes"))
    again.selection.changed.connect(lambda added, removed: heard.append(("selection", len(added), len(removed))))
    again.dropped.changed.connect(lambda out, back: heard.append(("dropped", len(out), len(back))))
    again.parameters.events.n_neighbors.connect(lambda new, old: heard.append(("k", new)))
    again.display_settings.events.colour_by.connect(lambda new, old: heard.append(new.name))

    load(path).restore(again)
    assert under_way.status == "stopped"
    assert heard == [
        "ended stopped", "classes", ("dropped", 2, 1), ("k", 5), "runs", "DNA", ("selection", 1, 2),
    ]  # fmt: skip
    assert again.classes.names == session.classes.names
    for name in session.classes.names:
        keys = again.cell_index.keys(again.classes.members(name))
        assert keys.tolist() == session.cell_index.keys(session.classes.members(name)).tolist()
    assert again.selection.keys.tolist() == session.selection.keys.tolist()
    assert (
        again.cell_index.keys(again.dropped.numbers).tolist()
        == session.cell_index.keys(session.dropped.numbers).tolist()
    )
    assert [run.name for run in again.runs] == ["die erste", "2: k 5, s 2, 30 cells"]
    for run in again.runs:
        assert again.cell_index.keys(run.numbers).tolist() == run.result.cells.keys
    again.selection.undo()
    assert ("elsewhere", 0, 1) not in again.selection.keys
    assert again.runs.start(table, again.parameters).name == "3: k 5, s 2"


def test_an_empty_session_comes_back(new, tmp_path):
    original = SessionSnapshot.of(new())
    same(load(save(new(), tmp_path / "empty.latentmap")), original)


def test_equal_cells_are_stored_once(path, session, loop, table, tmp_path):
    before = {name for name in members(path) if "arrays" in name}
    session.embed(CellTable(table.features.copy()), session.runs.current.numbers)
    loop.turn(lambda: not session.runs.running, seconds=60)
    later = {name for name in members(save(session, tmp_path / "more.latentmap")) if "arrays" in name}
    new_columns = len(table.features.columns) * 2 + 3
    assert len(later - before) <= new_columns + 4
    size = path.stat().st_size
    for _ in range(3):
        session.runs.restore([*session.runs, *session.runs], session.runs.current, 99)
    assert save(session, path).stat().st_size < 2 * size


def test_what_the_session_does_meanwhile_is_not_in_the_file(session, tmp_path):
    stored, original = SessionSnapshot.of(session), SessionSnapshot.of(session)
    session.classes.unassign(range(40))
    session.selection.clear()
    session.parameters.n_neighbors = 17
    session.display_settings.sized_by_variance = False
    same(stored, original)


def test_a_failure_leaves_the_old_file_and_no_other(session, tmp_path):
    path = tmp_path / "tissue.latentmap"
    path.write_text("old")
    for layer in (
        LayerSnapshot("shapes", "shapes", {"data": np.array([object()])}, {}),
        LayerSnapshot("shapes", "shapes", {}, {"face": np.arange(3)}),
    ):
        with pytest.raises(ValueError, match="session file"):
            save(session, path, [layer])
    session.parameters.metric = "chebyshev"
    with pytest.raises(ValueError, match="'chebyshev' is not one of"):
        save(session, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["map.csv", "map.H5AD", "map.xlsx", "map.svg", "map.html"])
def test_a_session_takes_no_name_of_a_table_or_a_figure(session, tmp_path, name):
    (tmp_path / name).write_text("what was saved before")
    with pytest.raises(ValueError, match=r'save the session as "map\.latentmap"'):
        save(session, tmp_path / name)
    assert (tmp_path / name).read_text() == "what was saved before"


def test_no_file_and_no_folder_are_errors_of_the_system(session, tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.latentmap")
    with pytest.raises(FileNotFoundError):
        save(session, tmp_path / "missing" / "tissue.latentmap")


def test_truncated_anywhere(path):
    original, whole = load(path), path.read_bytes()
    for length in np.linspace(0, len(whole) - 1, 120, dtype=int):
        path.write_bytes(whole[:length])
        assert not opens_the_same_or_not_at_all(path, original)


@pytest.mark.slow
def test_bytes_flipped_anywhere(path):
    original, whole = load(path), np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng, refused = np.random.default_rng(0), 0
    for _ in range(400):
        flipped = whole.copy()
        flipped[rng.integers(len(whole), size=rng.integers(1, 4))] ^= rng.integers(1, 256, dtype=np.uint8)
        path.write_bytes(flipped)
        refused += not opens_the_same_or_not_at_all(path, original)
    assert refused > 200
    # The end of the file says where everything is.
    for place in range(len(whole) - 400, len(whole)):
        flipped = whole.copy()
        flipped[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        opens_the_same_or_not_at_all(path, original)


@pytest.mark.slow
def test_members_that_are_swapped_missing_or_more(path):
    original, parts = load(path), members(path)
    names = list(parts)
    for one, other in zip(names, names[1:] + names[:1], strict=True):
        rewrite(path, {**parts, one: parts[other], other: parts[one]})
        assert not opens_the_same_or_not_at_all(path, original)
        rewrite(path, {name: data for name, data in parts.items() if name != one})
        assert not opens_the_same_or_not_at_all(path, original)
    for name in ("../../evil.py", "/etc/passwd", "arrays/x.npy", "arrays/../session.json", "C:\\evil"):
        rewrite(path, {**parts, name: b"x"})
        assert not opens_the_same_or_not_at_all(path, original)
    rewrite(path, dict(reversed(parts.items())))
    assert opens_the_same_or_not_at_all(path, original)


class Evil:
    def __reduce__(self):
        return (os.mkdir, ("evil",))


def test_a_pickle_in_an_array_is_not_opened(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    buffer = io.BytesIO()
    np.save(buffer, np.array([Evil()], dtype=object), allow_pickle=True)
    for evil in (buffer.getvalue(), pickle.dumps(Evil())):
        fingerprint = sha256(evil).hexdigest()
        save_as = tmp_path / "evil.latentmap"
        save_as.write_bytes(path.read_bytes())
        parts = members(save_as)
        document = json.loads(parts["session.json"])
        document["session"]["dropped"] = fingerprint
        rewrite(save_as, {**parts, f"arrays/{fingerprint}.npy": evil, "session.json": json.dumps(document)})
        with pytest.raises(ValueError, match=r"evil\.latentmap"):
            load(save_as)
    assert not (tmp_path / "evil").exists()


def every_place(plain, path=()):
    """Every place in a document, as the keys that lead there."""
    yield path
    items = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in items:
        yield from every_place(value, (*path, key))


def reached(plain, path):
    for key in path:
        plain = plain[key]
    return plain if isinstance(plain, str) else None


def replaced(plain, path, value):
    if not path:
        return value
    return (
        {**plain, path[0]: replaced(plain[path[0]], path[1:], value)}
        if isinstance(plain, dict)
        else [replaced(item, path[1:], value) if at == path[0] else item for at, item in enumerate(plain)]
    )


@pytest.mark.slow
def test_values_of_other_types_anywhere_are_refused_or_are_a_session(path, new):
    parts = members(path)
    document = json.loads(parts["session.json"])
    places = list(every_place(document))
    rng = np.random.default_rng(0)
    refused = 0
    wrong = [None, True, -1, 10**30, 1.5, "x", [], [[]], {}, {"x": 1}]
    for _ in range(400):
        changed = replaced(document, places[rng.integers(len(places))], wrong[rng.integers(len(wrong))])
        rewrite(path, {**parts, "session.json": json.dumps(changed)})
        if found := opened(path):
            found.restore(new())
        else:
            refused += 1
    assert refused > 300


@pytest.mark.slow
def test_arrays_that_do_not_belong_there_are_refused_or_make_a_session(path, new):
    parts = members(path)
    document = json.loads(parts["session.json"])
    names = [name[7:-4] for name in parts if name.startswith("arrays")]
    places = [place for place in every_place(document) if reached(document, place) in names]
    rng = np.random.default_rng(0)
    for _ in range(300):
        changed = replaced(document, places[rng.integers(len(places))], str(rng.choice(names)))
        rewrite(path, {**parts, "session.json": json.dumps(changed)})
        if found := opened(path):
            found.restore(new())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 11}, "newer latentmap"),
        ({"version": "1"}, "not a latentmap session"),
        ({"format": "another"}, "not a latentmap session"),
        ({"session": []}, "damaged"),
    ],
)
def test_newer_and_foreign_files_say_so(path, change, sentence):
    with_document(path, lambda document: document.update(change))
    with pytest.raises(ValueError, match=rf'"tissue\.latentmap" cannot be opened: it .*{sentence}'):
        load(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["runs", 0, "parameters", "features", 0], "x"),
        (["look", "colour_by", "kind"], "x"),
        (["look", "colour_by"], {"kind": "variance", "name": "x"}),
    ],
)
def test_what_could_not_be_drawn_or_saved_again_is_damaged(path, place, value):
    def change(document):
        part = document["session"]
        for name in place[:-1]:
            part = part[name]
        part[place[-1]]  # is there
        part[place[-1]] = value

    with_document(path, change)
    with pytest.raises(ValueError, match="it is damaged"):
        load(path)


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"\x89PNG\r\n", b"label,area\n1,2\n", b"[" * 100_000, pickle.dumps(Evil())],
)
def test_other_files_are_no_session(tmp_path, data):
    path = tmp_path / "other.latentmap"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r'"other\.latentmap" cannot be opened'):
        load(path)
    rewrite(path, {"session.json": data})
    with pytest.raises(ValueError, match=r'"other\.latentmap" cannot be opened'):
        load(path)
    rewrite(path, {"__main__.py": data})
    with pytest.raises(ValueError, match="not a latentmap session"):
        load(path)


def test_a_file_that_unpacks_to_more_than_fits_is_refused_before_it_is_unpacked(path, monkeypatch):
    monkeypatch.setattr("latentmap.session.file.free_memory", lambda: 1000)
    with pytest.raises(ValueError, match="GiB of free memory"):
        load(path)


def test_an_array_that_is_named_often_counts_as_often(path, monkeypatch):
    """Each layer gets an array of its own, as the user may paint on it."""

    def name_often(document):
        layers = document["session"]["layers"]
        layers[:] = [layer for layer in layers if layer["kind"] == "labels"] * 2000

    unpacked = sum(info.file_size for info in zipfile.ZipFile(path).infolist())
    with_document(path, name_often)
    document = zipfile.ZipFile(path).getinfo("session.json").file_size
    monkeypatch.setattr("latentmap.session.file.free_memory", lambda: 20 * document + 10 * unpacked)
    monkeypatch.setattr(ArrayStore, "get", lambda shelf, name: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match="GiB of free memory"):
        load(path)


def test_a_table_that_many_runs_share_counts_once(path, monkeypatch):
    unpacked = sum(info.file_size for info in zipfile.ZipFile(path).infolist())
    document = zipfile.ZipFile(path).getinfo("session.json").file_size

    def share(document):
        document["session"]["runs"] *= 3
        document["session"]["n_started"] = 6

    with_document(path, share)
    monkeypatch.setattr("latentmap.session.file.free_memory", lambda: 20 * 4 * document + 3 * unpacked)
    assert len(load(path).runs) == 6


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_the_memory_allowed_counts_not_that_of_the_machine():
    code = """
import resource
from latentmap.memory import free_memory
before = free_memory()
resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
assert 0 < free_memory() <= 8 * 2**30, free_memory()
assert before > 0
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_file_that_lies_about_its_sizes_is_refused(path):
    whole = bytearray(path.read_bytes())
    place = whole.rindex(b"PK\x01\x02")
    whole[place + 24 : place + 28] = (2**31).to_bytes(4, "little")
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="cannot be as large as it says"):
        load(path)


def test_an_array_that_lies_about_its_size_is_refused():
    header, archive = io.BytesIO(), zipfile.ZipFile(io.BytesIO(), "w")
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
    data = header.getvalue() + bytes(8)
    archive.writestr(f"arrays/{sha256(data).hexdigest()}.npy", data)
    with pytest.raises(ValueError, match="does not match its header"):
        ArrayStore(archive).get(sha256(data).hexdigest())


def test_a_session_stays_as_it_is_when_a_file_cannot_be_opened(path, session):
    before = SessionSnapshot.of(session)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="cannot be opened"):
        load(path).restore(session)
    same(SessionSnapshot.of(session), before)


# It imports what is needed once, and has a process of its own save again and again, until it is killed.
KILLED = """
import os, sys
from queue import SimpleQueue
import numpy as np
from latentmap.session import Session, LayerSnapshot, save
image = LayerSnapshot("image", "image", {"data": np.random.default_rng(0).integers(0, 999, (1500, 1500))}, {})
starter = os.getpid()
for path in sys.stdin:
    process = os.fork()
    if not process:
        session = Session(SimpleQueue().put)
        print(os.getpid(), flush=True)
        while os.getppid() == starter:
            save(session, path.strip(), [image])
            print("saved", flush=True)
        os._exit(0)
    os.waitpid(process, 0)
    print("killed", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_a_private_file_stays_private_and_a_link_a_link(new, tmp_path):
    private, link = tmp_path / "private.latentmap", tmp_path / "link.latentmap"
    private.touch()
    private.chmod(0o600)
    link.symlink_to(private)
    save(new(), link)
    assert link.is_symlink()
    assert load(private).n_started == 0
    assert private.stat().st_mode & 0o777 == 0o600
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".x.latentmap.{os.getpid()}.part").symlink_to(victim)
    save(new(), tmp_path / "x.latentmap")
    assert victim.read_text() == "precious"


def test_sessions_saved_at_once_to_one_name_do_not_collide(new, tmp_path):
    session, errors = new(), []

    def save_often():
        try:
            for _ in range(20):
                save(session, tmp_path / "same.latentmap")
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=save_often) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [path.name for path in tmp_path.iterdir()] == ["same.latentmap"]
    assert load(tmp_path / "same.latentmap").n_started == 0


@pytest.mark.slow
def test_killed_midway_it_leaves_a_whole_file_or_none(tmp_path):
    path, rng = tmp_path / "tissue.latentmap", np.random.default_rng(0)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", KILLED], **pipes) as starter:
        try:
            for old in (False, True, True):
                starter.stdin.write(f"{path}\n")
                starter.stdin.flush()
                process = int(starter.stdout.readline())
                if old:
                    assert starter.stdout.readline() == "saved\n"
                # Killed once there is half a file, which is not yet under its name.
                while not list(tmp_path.glob(".latentmap-*.part")):
                    time.sleep(0.001)
                time.sleep(float(rng.uniform(0, 0.05)))
                os.kill(process, signal.SIGKILL)
                while starter.stdout.readline() != "killed\n":
                    pass
                if old or path.exists():
                    assert load(path).layers[0].name == "image"
                for part in tmp_path.glob(".*"):
                    part.unlink()
        finally:
            starter.kill()
