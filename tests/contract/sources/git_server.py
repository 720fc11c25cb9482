#!/usr/bin/env python3
"""Git repositories over https on loopback, for tests of sources. Prints its port.

usage: git_server.py DIRECTORY CERTIFICATE KEY

/smart/…  git's own http-backend     /plain/…  nothing but files     /moved/…  a redirect to /smart/…
/closed/… wants a password           /silent/… never answers         others: 404"""

import http.server
import os
import ssl
import subprocess
import sys
import time
import urllib.parse

ROOT = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def serve_smart(self, path, query):
        length = int(self.headers.get("Content-Length") or 0)
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": ROOT,
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        run = subprocess.run(["git", "http-backend"], input=self.rfile.read(length), env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        head, _, body = run.stdout.partition(b"\r\n\r\n")
        headers = dict(line.decode().split(": ", 1) for line in head.split(b"\r\n") if line)
        status = int(headers.pop("Status", "200").split()[0])
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def serve_plain(self, path, query):
        try:
            with open(ROOT + os.path.normpath(path), "rb") as file:
                self.answer(200, file.read())
        except OSError:
            self.answer(404)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        kind, _, rest = url.path[1:].partition("/")
        if kind == "smart":
            self.serve_smart("/" + rest, url.query)
        elif kind == "plain":
            self.serve_plain("/" + rest, url.query)
        elif kind == "moved":
            self.answer(301, Location="/smart/%s?%s" % (rest, url.query))
        elif kind == "closed":
            self.answer(401, WWW_Authenticate="Basic realm=x")
        elif kind == "silent":
            time.sleep(600)
        else:
            self.answer(404)

    do_POST = do_GET


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


def main():
    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
