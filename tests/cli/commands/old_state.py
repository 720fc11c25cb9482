"""States that earlier versions of lintel have written, made anew from their dumps."""

import os
import sqlite3

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as stream:
        return stream.read()


def make_sqlite(directory, key=".lintel/vault/default.key"):
    """Format 1: instance shop (deployed, edited once), broken (failed part way), one more that was destroyed."""
    os.makedirs(os.path.join(directory, ".lintel", "vault"), mode=0o700)
    connection = sqlite3.connect(os.path.join(directory, ".lintel", "state.db"))
    connection.executescript(read("sqlite-format-1.sql"))
    connection.close()
    make_key(os.path.join(directory, key))


def make_key(path):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as stream:
        stream.write(read("format-1.key"))
