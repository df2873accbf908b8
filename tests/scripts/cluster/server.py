"""Answers the calls of the kubectl stub, at the port that it prints.

Each call is a child that has all modules already: a Python of its own takes ten times as long to load them as to answer.
A call is the number of its words and the words: a folder, CLUSTER_APIS, CLUSTER_BREAK, CLUSTER_ROOM, the arguments of kubectl.
The answer is what kubectl prints, what it complains of, and its exit code. A NUL ends each of them.
"""

import argparse  # noqa: F401  this and others are for the children
import base64  # noqa: F401
import fnmatch  # noqa: F401
import io
import json  # noqa: F401
import os
import random  # noqa: F401
import socket
import ssl  # noqa: F401
import subprocess  # noqa: F401
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path  # noqa: F401

import yaml  # noqa: F401

VARIABLES = ["CLUSTER_APIS", "CLUSTER_BREAK", "CLUSTER_ROOM"]


def read_words(connection):
    request = b""
    while not request or request.count(b"\0") <= int(request.partition(b"\0")[0]):
        more = connection.recv(65536)
        if not more:
            os._exit(0)  # whoever called has gone
        request += more
    return request.decode().split("\0")[1:-1]


def run(folder, *words):
    os.chdir(folder)
    os.environ.update({name: value for name, value in zip(VARIABLES, words, strict=False) if value})
    import kubectl  # reads the variables

    return kubectl.main(list(words[len(VARIABLES) :]))


def answer(connection):
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as complaints:
        try:
            code = run(*read_words(connection))
        except SystemExit as end:
            code = end.code
            if isinstance(code, str):
                print(code, file=sys.stderr)
        except Exception:
            code = traceback.format_exc()
            print(code, file=sys.stderr)
    connection.sendall(f"{output.getvalue()}\0{complaints.getvalue()}\0{int(bool(code))}\0".encode())


def serve():
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            server.close()
            answer(connection)
            os._exit(0)
        connection.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


if __name__ == "__main__":
    serve()
