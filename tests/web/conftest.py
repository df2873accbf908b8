import os
import pathlib
import shutil
import subprocess

import pytest

from browser import Browser
from cluster import BIN, ROOT, Cluster, GuardedCluster, Programs

AXE = "axe-core@4.10.2"
SCREENSHOTS = ROOT / "docs" / "figures"


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    if not (BIN / "twofold-frontend").exists():
        pytest.fail(f"no programs in {BIN}: build them (./run-tests.sh dev), or say where they are with TWOFOLD_BIN")
    return tmp_path_factory.mktemp


@pytest.fixture(scope="session")
def cluster(folder_of):
    cluster = Cluster(folder_of("cluster"))
    cluster.begin_run("disks")
    yield cluster
    cluster.close()


@pytest.fixture(scope="session")
def guarded(folder_of):
    guarded = GuardedCluster(folder_of("guarded"))
    yield guarded
    guarded.close()


@pytest.fixture
def programs(folder_of):
    programs = Programs(folder_of("programs"))
    yield programs
    programs.close()


@pytest.fixture(scope="session")
def one_browser():
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("no chromium and chromedriver here (Debian: chromium, chromium-driver)")
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def browser(one_browser):
    """With nothing left of the test before."""
    one_browser.look_as(1280)
    one_browser.ask("/url", {"url": "about:blank"})
    one_browser.complaints()
    one_browser.requests()
    return one_browser


@pytest.fixture
def clean(browser):
    """Nothing may be wrong on the console, and no other host may be asked for anything."""
    yield browser
    assert browser.complaints() == []
    others = [url for url in browser.requests() if not url.startswith(("http://127.0.0.1:", "about:", "data:"))]
    assert others == []


@pytest.fixture(scope="session")
def axe():
    """The script that looks for barriers; from the registry of npm, or a file that TWOFOLD_AXE names."""
    file = pathlib.Path(os.environ.get("TWOFOLD_AXE", ROOT / "build" / "web" / "package" / "axe.min.js"))
    if not file.exists():
        fetch_axe(file.parent.parent)
    return file.read_text(encoding="utf-8")


def fetch_axe(folder):
    if not shutil.which("npm"):
        pytest.skip(f"no npm here to get {AXE}; TWOFOLD_AXE names a file that has it")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["npm", "pack", AXE], cwd=folder, check=True, capture_output=True, timeout=60)
        subprocess.run(["tar", "xzf", next(folder.glob("axe-core-*.tgz"))], cwd=folder, check=True)
    except (subprocess.SubprocessError, StopIteration) as error:
        pytest.skip(f"the registry of npm did not give {AXE}: {error}")


@pytest.fixture
def screenshot(one_browser):
    """Writes one for the docs, if UPDATE_SCREENSHOTS says so."""

    def write(name):
        if os.environ.get("UPDATE_SCREENSHOTS"):
            one_browser.screenshot(SCREENSHOTS / f"{name}.png")

    return write
