"""A reverse proxy that serves another server below a path, as an Ingress or Kubernetes' API server do."""

import http.client
import http.server
import threading


class SubPath:
    """`with SubPath("127.0.0.1:9998", "/a/b/") as url`: what stands below `url` is that server's."""

    def __init__(self, server, path):
        self.server, self.path = server, path
        self.proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.proxy.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.proxy.server_port}{self.path}"

    def __exit__(self, *_):
        self.proxy.shutdown()
        self.proxy.server_close()

    def handler(self):
        server, path = self.server, self.path

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def pass_on(self):
                if not self.path.startswith(path):  # an address that is not relative to the page
                    self.send_error(404, "not below the path")
                    return
                length = int(self.headers.get("Content-Length", 0))
                headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection")}
                upstream = http.client.HTTPConnection(server, timeout=30)
                upstream.request(self.command, "/" + self.path[len(path) :], self.rfile.read(length), headers)
                answer = upstream.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.end_headers()
                try:
                    while piece := answer.read1(65536):
                        self.wfile.write(piece)
                except OSError:
                    pass  # the page has left
                upstream.close()

            do_GET = do_POST = do_HEAD = pass_on

        return Handler
