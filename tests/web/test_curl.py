"""What scripts get from the client by curl, byte for byte, as docs/client.md has it."""

import subprocess

import pytest

PLAIN = {  # in this order
    "parallel?type=plain": "8\n",
    "parallel?value=32&type=plain": "32\n",
    "parallel?value=-1&type=plain": "0\n",
    "rate?type=plain": "0.000000\n",
    "parallel?value=2&type=plain": "2\n",
    "reset?type=plain": "Reseted\n",
    "fails?type=plain": "0\n",
    "healthz": "ok\n",
}


@pytest.fixture
def client_url(programs):
    """Of a client that reaches no frontend."""
    return programs.start_client("--frontend=127.0.0.1:1", "--queue=sleep", "--parallel=8")


def curl(url):
    return subprocess.run(["curl", "-s", url], check=True, capture_output=True, timeout=30).stdout.decode()


def test_plain_forms_are_as_scripts_know_them(client_url):
    assert {target: curl(client_url + target) for target in PLAIN} == PLAIN


def test_the_first_page_is_without_scripts_for_curl(client_url):
    assert "<script" not in curl(client_url)
