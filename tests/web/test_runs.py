"""The page of a run: its matrix fills up, for all who look at it."""

import pytest

from browser import there

CELLS = """return [...document.querySelectorAll('#matrix .cell')].map((cell) => cell.textContent)"""
SETTLED = """
    const cells = [...document.querySelectorAll('#matrix .cell')];
    window.seen = window.seen ?? [];
    cells.forEach((cell) => window.seen.includes(cell.className) || window.seen.push(cell.className));
    return cells.length === 4 && cells.every((cell) => cell.classList.contains('done')) && window.seen;
    """


@pytest.fixture(scope="module")
def waiting(cluster):
    cluster.begin_run("waits", queue="held")


def names_of(browser, role):
    """What a screen reader is told of all that has this role."""
    nodes = browser.devtools("Accessibility.getFullAXTree")["nodes"]
    return [n["name"]["value"] for n in nodes if n["role"]["value"] == role and not n["ignored"]]


def test_the_matrix_fills_up_with_results(cluster, clean, screenshot):
    clean.open(cluster.frontend_url + "#/runs/disks")
    clean.until("four permutations", "return document.querySelectorAll('#matrix .cell').length === 4")
    clean.until("a first result", there("svg.interval .bar"), seconds=60)
    seen = clean.until("all is done", SETTLED, seconds=120)
    assert "cell done" in seen
    for text in clean.run(CELLS):
        assert text.startswith("done 2 of 2")
        assert " to " in text, "an interval of two values"
    screenshot("web-run")


def test_cells_wait_run_and_are_done(cluster, clean):
    cluster.begin_run("fills", repetitions=1)
    clean.open(cluster.frontend_url + "#/runs/fills")
    seen = clean.until("all is done", SETTLED, seconds=120)
    assert {"cell waiting", "cell running", "cell done"} <= set(seen)


def test_a_failed_job_is_seen_at_once(cluster, clean):
    cluster.begin_run("fails", queue="tell")  # its worker knows no fio
    cluster.worker("tell", "tell-1", "/bin/false")
    try:
        clean.open(cluster.frontend_url + "#/runs/fails")
        clean.until("a failed cell", there("#matrix .cell.failed"), seconds=60)
    finally:
        cluster.end("tell-1")


def test_rows_and_columns_are_the_varied_fields(cluster, clean, waiting):
    clean.open(cluster.frontend_url + "#/runs/waits")
    clean.until("the matrix", there("#matrix .cell.waiting"))
    assert names_of(clean, "columnheader")[:3] == ["rw", "4k", "64k"]
    assert names_of(clean, "rowheader")[:2] == ["read", "write"]
    assert clean.run(CELLS) == ["waiting 0 of 2"] * 4
    title = clean.run("return document.querySelector('#matrix .cell').title")
    assert title.splitlines()[1] == "waiting, 0 of 2 jobs have ended"


def test_a_narrow_window_scrolls_the_matrix_by_keyboard(cluster, clean, waiting):
    clean.look_as(390)
    clean.open(cluster.frontend_url + "#/runs/waits")
    clean.until("the matrix", there("#matrix .cell.waiting"))
    assert clean.run("return document.documentElement.scrollWidth") <= 390
    focused = "const region = document.querySelector('#matrix .scroll'); region.focus(); return document.activeElement === region"
    assert clean.run(focused)


def test_the_headline_of_the_cells_can_be_chosen(cluster, clean):
    clean.open(cluster.frontend_url + "#/runs/disks")
    clean.until("all is done", SETTLED, seconds=120)
    labels = clean.run("return [...document.querySelectorAll('#matrix option')].map((option) => option.textContent)")
    assert labels[0] == "the first of each"
    assert len(labels) > 2
    before = clean.run(CELLS)
    clean.choose("Headline", labels[-1])
    clean.until("other numbers", "return document.querySelector('#matrix .cell:last-of-type') && "
                "[...document.querySelectorAll('#matrix .cell')].some((c, i) => c.textContent !== arguments[0][i])", before)
