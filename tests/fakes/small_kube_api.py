"""The HTTP of an API server in Python, for scripts that `twofold validate` runs in: what there is comes from functions."""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SCALE = re.compile(r"/apis/apps/v1/namespaces/([^/]+)/deployments/([^/]+)/scale")


class Missing(Exception):
    """There is no such thing: 404."""

    status, reason = 404, "NotFound"


class Forbidden(Exception):
    """One may not: 403."""

    status, reason = 403, "Forbidden"


def serve(kubeconfig, answer, scale):
    """Writes the file that leads to it, and serves until it is ended.

    answer(target) returns an object, or the text of a program or log; scale(namespace, name, replicas).
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            try:
                found = answer(self.path)
            except (Missing, Forbidden, OSError) as error:
                status = getattr(error, "status", 404)
                reason = getattr(error, "reason", "NotFound")
                failure = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status, "reason": reason}
                return self.reply(status, {**failure, "message": str(error)})
            return self.reply(200, found)

        def do_PATCH(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            scale(*SCALE.fullmatch(urlsplit(self.path).path).groups(), asked["spec"]["replicas"])
            self.reply(200, {"kind": "Scale"})

        def reply(self, status, found):
            body = (found if isinstance(found, str) else json.dumps(found)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain" if isinstance(found, str) else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    config = {
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "c",
    }
    kubeconfig.with_suffix(".new").write_text(json.dumps(config))
    kubeconfig.with_suffix(".new").rename(kubeconfig)
    server.serve_forever()
