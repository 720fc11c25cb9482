#!/usr/bin/env python3
"""A web server on loopback with good and bad manners, for tests of sources. Prints its port.

usage: web_server.py [CERTIFICATE KEY]      with them it speaks TLS"""

import http.server
import socket
import ssl
import sys
import threading
import time
import urllib.parse

HITS = {}
LOCK = threading.Lock()
DOCUMENTS = {
    "/docs/a.yaml": b"a",
    "/docs/b.yaml": b"b of docs",
    "/b.yaml": b"b of the top",
    "/docs/sub/c.yaml": b"c",
    "/docs/white space.yaml": b"white",
    "/empty": b"",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        name = urllib.parse.unquote(url.path)
        with LOCK:
            HITS[name] = HITS.get(name, 0) + 1
        self.close_connection = True
        first = name.strip("/").split("/")[0].replace("-", "_")
        action = getattr(self, "get_" + first, None)
        if name in DOCUMENTS:
            self.answer(200, DOCUMENTS[name])
        elif action:
            action(name, url.query)
        else:
            self.answer(404, b"nothing")

    def answer(self, status, body, **headers):
        self.send_response(status)
        for header, text in headers.items():
            self.send_header(header.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def raw(self, text):
        self.wfile.write(text)
        self.wfile.flush()

    # --- good manners ---

    def get_hits(self, name, query):
        self.answer(200, str(HITS.get(query, 0)).encode())

    def get_changing(self, name, query):
        self.answer(200, b"version %d" % HITS[name])

    def get_etag(self, name, query):
        if self.headers.get("If-None-Match") == '"one"':
            self.answer(304, b"", ETag='"one"')
        else:
            self.answer(200, b"tagged", ETag='"one"')

    def get_not_modified(self, name, query):
        self.answer(304, b"")

    def get_status(self, name, query):
        self.answer(int(name.split("/")[2]), b"some text")

    def get_headers(self, name, query):
        self.answer(200, "\n".join("%s: %s" % h for h in sorted(self.headers.items())).encode())

    def get_path(self, name, query):
        self.answer(200, self.path.encode())

    # --- redirects ---

    def get_to(self, name, query):
        self.answer(302, b"", Location=query)

    def get_loop(self, name, query):
        self.answer(301, b"", Location="/loop")

    def get_chain(self, name, query):
        left = int(name.split("/")[2])
        if left:
            self.answer(307, b"", Location="/chain/%d" % (left - 1))
        else:
            self.answer(200, b"end")

    # --- bad manners ---

    def get_big(self, name, query):
        """A gigabyte, announced or not."""
        block = b"x" * 65536
        self.send_response(200)
        if query == "announced":
            self.send_header("Content-Length", str(1 << 30))
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for _ in range((1 << 30) // len(block)):
                self.wfile.write(block)
        except OSError:
            pass

    def get_trickle(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        try:
            for _ in range(600):
                self.raw(b"x")
                time.sleep(0.2)
        except OSError:
            pass

    def get_silent(self, name, query):
        time.sleep(600)

    def get_truncated(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nversion: 1")

    def get_cut_chunk(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nshort")

    def get_no_last_chunk(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n")

    def get_bad_chunk(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nshort\r\n0\r\n\r\n")

    def get_long_body(self, name, query):
        """More than it announces: what is beyond is no part of the answer."""
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour and more")

    def get_bad_length(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello")

    def get_two_lengths(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 500\r\n\r\nhello")

    def get_garbage(self, name, query):
        self.raw(b"\x00\x01\x02 this is no http\r\n\r\n")

    def get_header_flood(self, name, query):
        self.raw(b"HTTP/1.1 200 OK\r\n")
        try:
            for i in range(1 << 24):
                self.raw(b"X-%d: %s\r\n" % (i, b"y" * 1000))
        except OSError:
            pass

    def get_continue_flood(self, name, query):
        try:
            for _ in range(1 << 24):
                self.raw(b"HTTP/1.1 100 Continue\r\n\r\n")
        except OSError:
            pass

    def get_gzip(self, name, query):
        """Nobody asked for it: bytes are bytes, and no bomb is opened."""
        self.answer(200, b"\x1f\x8bnot unpacked", Content_Encoding="gzip")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


def main():
    server = Server(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    socket.setdefaulttimeout(None)
    main()
