"""How much memory is free, by what the system tells: the machine, the limits of the process, and its container."""

import os
import sys

import pytest

from latentmap import memory

GIB = 1 << 30


@pytest.fixture
def machine(monkeypatch):
    """A machine of 8 GiB without psutil, without limits, and without a container."""
    sizes = {"SC_PHYS_PAGES": 8 * GIB // 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setitem(sys.modules, "psutil", None)
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
    monkeypatch.setattr(memory, "_GROUPS", [])
    return monkeypatch


@pytest.fixture
def container(machine, tmp_path):
    """Put the process into a container, given what its files say."""

    def put(**files):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        machine.setattr(memory, "_GROUPS", [tuple(str(tmp_path / name) for name in ("limit", "used", "parts"))])

    return put


def test_without_psutil_all_memory_of_the_machine_counts(machine):
    assert memory.free_memory() == 8 * GIB


def test_a_system_that_tells_nothing_does_not_stop_anybody(machine):
    machine.delattr(os, "sysconf")
    assert memory.free_memory() > 64 * GIB
    memory.check_memory(64 * GIB, "The map", "Choose fewer cells.")


def test_the_limit_of_a_container_counts_without_what_it_has_taken(container):
    container(limit=str(3 * GIB), used=str(GIB), parts="inactive_file 0\nactive_file 0\n")
    assert memory.free_memory() == 2 * GIB
    with pytest.raises(
        ValueError, match=r"^The map would take about 2\.5 GiB of memory, but 2\.0 GiB are free\. Less\.$"
    ):
        memory.check_memory(2.5 * GIB, "The map", "Less.")


@pytest.mark.parametrize("parts", [None, "", "anon 5\n", "inactive_file many\nactive_file 5\n", "inactive_file\n"])
def test_files_in_memory_that_nobody_tells_of_count_as_taken(container, parts):
    container(limit=str(3 * GIB), used=str(GIB), **({} if parts is None else {"parts": parts}))
    assert memory.free_memory() == 2 * GIB


def test_a_container_without_a_limit_may_have_all(container):
    container(limit="max\n", used=str(GIB), parts="")
    assert memory.free_memory() == 8 * GIB


def test_a_container_that_has_taken_more_than_it_may_has_nothing_free(container):
    container(limit=str(GIB), used=str(2 * GIB))
    assert memory.free_memory() == 0
