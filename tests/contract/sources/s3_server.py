#!/usr/bin/env python3
"""An S3-compatible store on loopback that verifies signatures by itself, written from the description of Signature
Version 4 and not from the code it tests. Prints its port.

usage: s3_server.py ACCESS_KEY SECRET_KEY REGION [SESSION_TOKEN]

Bucket "shop" needs a signature, "open" needs none and refuses none, "elsewhere" is in another region."""

import datetime
import hashlib
import hmac
import http.server
import sys
import urllib.parse

OBJECTS = {
    "core.yaml": b"core",
    "dir/a.yaml": b"a of dir",
    "dir/b.yaml": b"b of dir",
    "b.yaml": b"b of the top",
    "white space+plus%percent&amp;=.yaml": b"odd name",
    "caf\u00e9/\u65e5\u672c.yaml": b"letters",
    "dir//twice.yaml": b"two slashes",
    "/leading.yaml": b"leading slash",
    "dots/../x.yaml": b"dots",
    "tilde~(1)!*'.yaml": b"marks",
}
HITS = {}
CONFIG = {}


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def canonical_path(path):
    """S3 signs the path as it is sent, each byte encoded once."""
    return urllib.parse.quote(urllib.parse.unquote_to_bytes(path), safe="/-_.~")


def canonical_query(query):
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    return "&".join(
        "%s=%s" % (urllib.parse.quote(k, safe="-_.~"), urllib.parse.quote(v, safe="-_.~")) for k, v in sorted(pairs)
    )


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def fail(self, status, code, **headers):
        body = ("<?xml version='1.0'?><Error><Code>%s</Code><Message>no</Message></Error>" % code).encode()
        self.answer(status, body, **headers)

    def answer(self, status, body, **headers):
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def find_fault(self, raw_path, query):
        """The error code, or None when the signature is right."""
        given = self.headers.get("Authorization")
        if not given:
            return "AccessDenied"
        algorithm, _, rest = given.partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(","))
        access, day, region, service, end = fields["Credential"].split("/")
        if algorithm != "AWS4-HMAC-SHA256" or (service, end) != ("s3", "aws4_request"):
            return "AuthorizationHeaderMalformed"
        if access != CONFIG["access"]:
            return "InvalidAccessKeyId"
        if region != CONFIG["region"]:
            return "AuthorizationHeaderMalformed"
        names = fields["SignedHeaders"].split(";")
        needed = {"host", "x-amz-date", "x-amz-content-sha256"}
        if CONFIG["token"]:
            needed.add("x-amz-security-token")
            if self.headers.get("x-amz-security-token") != CONFIG["token"]:
                return "InvalidToken"
        if names != sorted(names) or not needed <= set(names):
            return "AccessDenied"
        moment = self.headers["x-amz-date"]
        sent = datetime.datetime.strptime(moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if abs((datetime.datetime.now(datetime.timezone.utc) - sent).total_seconds()) > 900 or moment[:8] != day:
            return "RequestTimeTooSkewed"
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(b"").hexdigest():
            return "XAmzContentSHA256Mismatch"
        headers = "".join("%s:%s\n" % (n, " ".join(self.headers[n].split())) for n in names)
        request = "\n".join(
            ["GET", canonical_path(raw_path), canonical_query(query), headers, ";".join(names),
             self.headers["x-amz-content-sha256"]]
        )
        text = "\n".join(
            ["AWS4-HMAC-SHA256", moment, "/".join([day, region, "s3", "aws4_request"]),
             hashlib.sha256(request.encode()).hexdigest()]
        )
        key = mac(mac(mac(mac(("AWS4" + CONFIG["secret"]).encode(), day), region), "s3"), "aws4_request")
        right = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return None if hmac.compare_digest(right, fields["Signature"]) else "SignatureDoesNotMatch"

    def do_GET(self):
        raw_path, _, query = self.path.partition("?")
        HITS[raw_path] = HITS.get(raw_path, 0) + 1
        if raw_path == "/hits":
            return self.answer(200, str(HITS.get(query, 0)).encode())
        bucket, _, raw_key = raw_path[1:].partition("/")
        key = urllib.parse.unquote_to_bytes(raw_key).decode()
        fault = self.find_fault(raw_path, query) if bucket != "open" else None
        if fault:
            return self.fail(403, fault)
        if bucket == "elsewhere":
            return self.fail(301, "PermanentRedirect", x_amz_bucket_region="eu-central-1",
                             Location="http://127.0.0.1:9/elsewhere")
        if bucket not in ("shop", "open"):
            return self.fail(404, "NoSuchBucket")
        if key not in OBJECTS:
            return self.fail(404, "NoSuchKey")
        tag = '"%s"' % hashlib.md5(OBJECTS[key]).hexdigest()
        if self.headers.get("If-None-Match") == tag:
            return self.answer(304, b"", ETag=tag)
        return self.answer(200, OBJECTS[key], ETag=tag)


def main():
    arguments = sys.argv[1:] + [""] * 4
    CONFIG.update(access=arguments[0], secret=arguments[1], region=arguments[2], token=arguments[3])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
