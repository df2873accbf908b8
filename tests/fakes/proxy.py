#!/usr/bin/python3
"""An HTTP proxy that notes the first line of each request: proxy.py ASKED [HOST:PORT].

It prints its port and appends these lines to the file ASKED. It refuses all, or, with HOST:PORT, connects
whoever sends CONNECT to that address, whatever the address was for.
"""

import socket
import socketserver
import sys
import threading


def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other direction has ended


class Request(socketserver.StreamRequestHandler):
    rbufsize = 0  # what follows the head is for the server

    def handle(self):
        line = self.rfile.readline().decode(errors="replace").strip()
        with open(sys.argv[1], "a", encoding="utf-8") as asked:
            asked.write(line + "\n")
        while self.rfile.readline().strip():
            pass
        if len(sys.argv) < 3 or not line.startswith("CONNECT "):
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        host, _, port = sys.argv[2].rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = threading.Thread(target=pump, args=(server, self.connection), daemon=True)
            back.start()
            pump(self.connection, server)
            back.join()


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Proxy(("127.0.0.1", 0), Request) as proxy:
    print(proxy.server_address[1], flush=True)
    proxy.serve_forever()
