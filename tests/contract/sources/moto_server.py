#!/usr/bin/env python3
"""The S3 of moto on loopback, with a bucket "shop" that holds "dir/a b+c.yaml". Prints its port."""

import logging
import socket
import sys

import boto3
from moto.server import ThreadedMotoServer


def main():
    logging.getLogger("werkzeug").disabled = True
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    s3 = boto3.client(
        "s3",
        endpoint_url="http://127.0.0.1:%d" % port,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    s3.create_bucket(Bucket="shop")
    s3.put_object(Bucket="shop", Key="dir/a b+c.yaml", Body=b"from moto")
    print(port, flush=True)
    sys.stdin.read()
    server._thread.join()


if __name__ == "__main__":
    main()
