"""Servers of objects for tests: AIStore's protocol with its redirects, and ones with faults.

Each serves on a free port of 127.0.0.1 until close(). No state is shared between them.
"""

import hashlib
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote_plus, unquote, urlsplit


class Server:
    """A server with a handler class of its own; `objects` has what was put."""

    def __init__(self, handler, **state):
        self.objects = {}
        self.requests = []
        self.connections = 0
        self.sockets = []
        self.lock = threading.Lock()
        for name, value in state.items():
            setattr(self, name, value)
        owner = self

        class Bound(handler):
            server_of_test = owner

        class Http(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, address):
                pass  # clients that go away are part of the tests

            def get_request(self):
                found = super().get_request()
                with owner.lock:
                    owner.connections += 1
                    owner.sockets.append(found[0])
                return found

        self.http = Http(("127.0.0.1", 0), Bound)
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,))
        self.thread.start()

    def close(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
        for each in self.sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the client was first


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    @property
    def state(self):
        return self.server_of_test

    def answer(self, code, body=b"", headers=()):
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def content(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def note(self):
        with self.state.lock:
            self.state.requests.append((self.command, self.path, dict(self.headers)))


def sha512_256(content):
    return hashlib.new("sha512_256", content).hexdigest()


class AisTarget(Handler):
    """Takes only requests that its gateway has redirected, to the letter."""

    def do(self):
        self.note()
        content = self.content()
        parts = urlsplit(self.path)
        if not parts.query.endswith("&pid=p%5B1%5D&utm=7%2B7"):
            return self.answer(400, b"redirect not followed verbatim")
        if self.headers.get("Authorization") != self.state.token:
            return self.answer(401, b"no token")
        name = unquote(parts.path.removeprefix("/v1/objects/b/"))
        return getattr(self, "do_" + self.command.lower())(name, content)

    do_GET = do_PUT = do_HEAD = do_DELETE = do

    def do_put(self, name, content):
        if self.headers.get("Ais-Checksum-Type") == "sha256":
            if self.headers.get("Ais-Checksum-Value") != sha512_256(content):
                return self.answer(400, b"bad checksum")
            with self.state.lock:
                self.state.checked += 1
        self.state.objects[name] = content
        return self.answer(200)

    def do_get(self, name, _):
        content = self.state.objects.get(name)
        if content is None:
            return self.answer(404, b'{"status":404}')
        value = sha512_256(content) if not self.state.lies else "0" * 64
        headers = [("Ais-Checksum-Type", "sha256"), ("Ais-Checksum-Value", value)]
        asked = self.headers.get("Range")
        if asked:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            return self.answer(206, content[int(first) : int(last) + 1 if last else None], headers)
        return self.answer(200, content, headers)

    do_head = do_get

    def do_delete(self, name, _):
        return self.answer(200 if self.state.objects.pop(name, None) is not None else 404)


class AisGateway(Handler):
    """Redirects: GET by 301, all else by 307, before it has seen any content."""

    def redirect(self):
        target = self.state.targets[hash(urlsplit(self.path).path) % len(self.state.targets)]
        self.answer(
            301 if self.command == "GET" else 307,
            headers=[("Location", f"{target.url}{self.path}&pid=p%5B1%5D&utm=7%2B7")],
        )

    def handle_expect_100(self):
        self.note()
        self.close_connection = True
        self.redirect()
        return False

    def do(self):
        self.note()
        content = self.content()
        with self.state.lock:
            self.state.content_bytes += len(content) if self.path.startswith("/v1/objects") else 0
        if self.path.startswith("/v1/objects/b/"):
            return self.redirect()
        return self.bucket(content)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = do

    def bucket(self, content):
        if self.command == "HEAD":
            return self.answer(200 if self.state.has_bucket else 404)
        action = json.loads(content)
        if action["action"] == "create-bck":
            self.state.has_bucket = True
            return self.answer(200)
        return self.page(action["value"])

    def page(self, value):
        names = sorted(n for t in self.state.targets for n in t.objects if n.startswith(value["prefix"]))
        rest = [n for n in names if n > value["continuation_token"]]
        page = rest[:7]
        token = page[-1] if len(rest) > len(page) else ""
        body = {"entries": [{"name": n} for n in page], "continuation_token": token}
        return self.answer(200, json.dumps(body).encode(), [("Content-Type", "application/json")])


class Ais:
    """A gateway and two targets."""

    def __init__(self, token=None, lies=False):
        self.targets = [Server(AisTarget, token=token, checked=0, lies=lies) for _ in range(2)]
        self.gateway = Server(AisGateway, targets=self.targets, has_bucket=False, content_bytes=0)

    def close(self):
        for server in [self.gateway, *self.targets]:
            server.close()


class Faulty(Handler):
    """Keeps objects in folder b; `fault(handler, content)` may answer first, and then returns True."""

    def do(self):
        self.note()
        content = self.content() if self.headers.get("Transfer-Encoding") is None else b""
        if self.state.fault(self, content):
            return None
        if self.command == "PUT":
            self.state.objects[self.path] = content
            return self.answer(201)
        if self.command == "HEAD":
            return self.answer(200)
        found = self.state.objects.get(self.path)
        return self.answer(404 if found is None else 200, found or b"")

    do_GET = do_PUT = do_HEAD = do_DELETE = do


def s3_error(code):
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>no</Message></Error>'.encode()


def is_object(handler):
    return "/b/" in handler.path and parse_qs(urlsplit(handler.path).query) == {}


def answering(code, cause=""):
    """All objects are refused."""

    def fault(handler, _):
        if is_object(handler):
            handler.answer(code, s3_error(cause) if cause else b"no")
            return True
        return False

    return fault


def busy(times):
    """Each object is refused so many times, then served."""
    left = {}

    def fault(handler, _):
        if not is_object(handler) or left.setdefault(handler.path, times) == 0:
            return False
        left[handler.path] -= 1
        handler.answer(503, s3_error("SlowDown"))
        return True

    return fault


def closing_early(handler, _):
    if handler.command != "GET":
        return False
    handler.send_response(200)
    handler.send_header("Content-Length", "4096")
    handler.end_headers()
    handler.wfile.write(b"x" * 1000)
    handler.close_connection = True
    return True


def of_content(change):
    """GETs bring `change(content)` of what was put."""

    def fault(handler, _):
        found = handler.state.objects.get(handler.path)
        if handler.command != "GET" or found is None:
            return False
        handler.answer(200, change(found), [("ETag", '"' + hashlib.md5(found).hexdigest() + '"')])
        return True

    return fault


def slow(seconds):
    def fault(handler, _):
        if handler.command == "GET":
            time.sleep(seconds)
        return False

    return fault


def refusing_uploads(handler, _):
    """Answers and closes, with content still on its way."""
    if handler.command == "PUT":
        handler.answer(507, b"full")
        handler.close_connection = True
        return True
    return False


def garbage(handler, _):
    if handler.command == "GET":
        handler.wfile.write(b"SSH-2.0-none\r\n\r\n")
        handler.close_connection = True
        return True
    return False


class S3(Handler):
    """S3 with folder b, pages of `page` names and uploads in parts. Settings of the server:

    versions    of lists that it knows: 1 alone ignores list-type, and has no tokens
    encodes     whether it knows encoding-type
    complete    what it answers to the end of an upload, as bytes; None: as it should
    region      the one of signatures that it takes; None: any
    date        what its clock says, as a header has it; None: the time
    """

    def date_time_string(self, timestamp=None):
        return self.state.date or super().date_time_string(timestamp)

    def do(self):
        self.note()
        content = self.content()
        parts = urlsplit(self.path)
        self.query = parse_qs(parts.query, keep_blank_values=True)
        if self.refused():
            return None
        name = unquote(parts.path).removeprefix("/b").removeprefix("/")
        if self.command == "HEAD" or (self.command == "PUT" and not name):
            found = not name or name in self.state.objects
            return self.answer(200 if found else 404)
        if not name:
            return self.list()
        return getattr(self, "do_" + self.command.lower())(name, content)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = do

    def refused(self):
        if self.state.date:
            self.answer(403, s3_error("RequestTimeTooSkewed"))
        elif self.state.region and f"/{self.state.region}/s3/" not in self.headers.get("Authorization", ""):
            self.answer(400, (f"<Error><Code>AuthorizationHeaderMalformed</Code><Message>no</Message>"
                              f"<Region>{self.state.region}</Region></Error>").encode())
        else:
            return False
        return True

    def list(self):
        encodes = self.state.encodes and "encoding-type" in self.query
        written = quote_plus if encodes else numeric_entities
        version = 2 if self.state.versions > 1 and "list-type" in self.query else 1
        after = self.query.get("continuation-token" if version == 2 else "marker", [""])[0]
        names = sorted(n for n in self.state.objects if n.startswith(self.query["prefix"][0]) and n > after)
        page = names[: self.state.page]
        more = len(names) > len(page)
        body = "".join(f"<Contents><Key>{written(n)}</Key><Size>1</Size></Contents>" for n in page)
        if more and version == 2:
            body += f"<NextContinuationToken>{numeric_entities(page[-1])}</NextContinuationToken>"
        encoding = "<EncodingType>url</EncodingType>" if encodes else ""
        body = f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{encoding}{body}</ListBucketResult>"
        return self.answer(200, body.encode())

    def do_get(self, name, _):
        found = self.state.objects.get(name)
        return self.answer(404, s3_error("NoSuchKey")) if found is None else self.answer(200, found)

    def do_put(self, name, content):
        if "uploadId" in self.query:
            self.state.parts.setdefault(name, {})[int(self.query["partNumber"][0])] = content
        else:
            self.state.objects[name] = content
        return self.answer(200, headers=[("ETag", '"' + hashlib.md5(content).hexdigest() + '"')])

    def do_post(self, name, _):
        if "uploads" in self.query:
            body = b"<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>"
            return self.answer(200, body)
        if self.state.complete is not None:
            return self.answer(200, self.state.complete)
        parts = self.state.parts.pop(name)
        self.state.objects[name] = b"".join(parts[i] for i in sorted(parts))
        return self.answer(200, b'<CompleteMultipartUploadResult xmlns="x"><Key>k</Key></CompleteMultipartUploadResult>')

    def do_delete(self, name, _):
        (self.state.parts if "uploadId" in self.query else self.state.objects).pop(name, None)
        return self.answer(204)


def numeric_entities(text):
    return "".join(c if c.isalnum() else f"&#{ord(c)};" if ord(c) % 2 else f"&#x{ord(c):x};" for c in text)


def s3_server(**settings):
    settings = {"versions": 2, "encodes": False, "complete": None, "region": None, "date": None, **settings}
    return Server(S3, parts={}, page=1000, **settings)
