"""Servers on this machine whose files are in memory: one of the web, with its faults, and a small S3."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class Shop:
    """The files of a server, what was asked of it, and what is wrong with it."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str, str | None]] = []
        self.sent = 0
        self.ranges = True
        self.etag = True
        self.dates = True
        self.status: int | None = None
        self.wrong_length = 0
        self.delay = 0.0
        self.url = ""
        self.uploads: dict[str, dict[int, bytes]] = {}

    def asked_for(self, method: str) -> list[str | None]:
        """The ranges of the requests of a method."""
        return [span for verb, _, span in self.asked if verb == method]

    def forget(self) -> None:
        self.asked.clear()
        self.sent = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def shop(self) -> Shop:
        return self.server.shop  # type: ignore[attr-defined, no-any-return]

    def log_message(self, *_: Any) -> None:
        pass

    def answer(
        self, status: int, body: bytes = b"", headers: dict[str, str] | None = None, size: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if size is None else size))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
            self.shop.sent += len(body)

    def give(self, path: str) -> None:
        shop = self.shop
        span = self.headers.get("Range")
        shop.asked.append((self.command, path, span))
        time.sleep(shop.delay)
        if shop.status is not None:
            return self.answer(shop.status)
        found = shop.files.get(path)
        if found is None:
            return self.answer(404)
        headers = {}
        if shop.etag:
            headers["ETag"] = f'"{hashlib.md5(found).hexdigest()}"'
        if shop.dates:
            headers["Last-Modified"] = formatdate(1_700_000_000, usegmt=True)
        if self.command == "HEAD":
            return self.answer(200, headers=headers, size=len(found) + shop.wrong_length)
        if span and shop.ranges:
            low, _, high = span.removeprefix("bytes=").partition("-")
            start = int(low) if low else len(found) - int(high)
            stop = min(int(high) + 1 if low and high else len(found), len(found))
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(found)}"
            return self.answer(206, found[start:stop], headers)
        self.answer(200, found, headers)


class _Web(_Handler):
    def do_GET(self) -> None:
        self.give(unquote(urlsplit(self.path).path))

    do_HEAD = do_GET


class _S3(_Handler):
    """Objects by paths of a bucket: what pyarrow asks for to read, list, write and remove them."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        if "list-type" in query:
            return self._list(parts.path.strip("/"), query)
        self.give(unquote(parts.path))

    do_HEAD = do_GET

    def _list(self, bucket: str, query: dict[str, list[str]]) -> None:
        prefix = query.get("prefix", [""])[0]
        delimiter = query.get("delimiter", [""])[0]
        keys = sorted(path.removeprefix(f"/{bucket}/") for path in self.shop.files if path.startswith(f"/{bucket}/"))
        entries: dict[str, None] = {}
        for key in keys:
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                folder = escape(prefix + rest.partition(delimiter)[0] + delimiter)
                entries[f"<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"] = None
            else:
                size = len(self.shop.files[f"/{bucket}/{key}"])
                entries[
                    f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size>"
                    "<LastModified>2023-11-14T22:13:20.000Z</LastModified></Contents>"
                ] = None
        self.shop.asked.append(("LIST", prefix, None))
        text = f"<ListBucketResult><Name>{bucket}</Name><IsTruncated>false</IsTruncated><KeyCount>{len(entries)}</KeyCount>{''.join(entries)}</ListBucketResult>"
        self.answer(200, text.encode(), {"Content-Type": "application/xml"})

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "") and "aws-chunked" not in self.headers.get(
            "Content-Encoding", ""
        ):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        raw = (
            self.rfile.read(int(self.headers["Content-Length"])) if "Content-Length" in self.headers else self._chunks()
        )
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return raw
        found = b""
        while raw:
            head, _, raw = raw.partition(b"\r\n")
            size = int(head.partition(b";")[0] or b"0", 16)
            if not size:
                break
            found, raw = found + raw[:size], raw[size + 2 :]
        return found

    def _chunks(self) -> bytes:
        found = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def do_PUT(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        body = self._body()
        self.shop.asked.append(("PUT", parts.path, None))
        if self.shop.status is not None:
            return self.answer(self.shop.status)
        if "uploadId" in query:
            self.shop.uploads[query["uploadId"][0]][int(query["partNumber"][0])] = body
        else:
            self.shop.files[unquote(parts.path)] = body
        self.answer(200, headers={"ETag": f'"{hashlib.md5(body).hexdigest()}"'})

    def do_POST(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        self._body()
        if "uploads" in query:
            key = str(len(self.shop.uploads))
            self.shop.uploads[key] = {}
            text = f"<InitiateMultipartUploadResult><UploadId>{key}</UploadId></InitiateMultipartUploadResult>"
        else:
            pieces = self.shop.uploads.pop(query["uploadId"][0])
            self.shop.files[unquote(parts.path)] = b"".join(pieces[number] for number in sorted(pieces))
            text = "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"
        self.answer(200, text.encode(), {"Content-Type": "application/xml"})

    def do_DELETE(self) -> None:
        self.shop.files.pop(unquote(urlsplit(self.path).path), None)
        self.answer(204)


@contextmanager
def _running(handler: type[_Handler]) -> Iterator[Shop]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    shop = server.shop = Shop()  # type: ignore[attr-defined]
    shop.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield shop
    finally:
        server.shutdown()
        server.server_close()


def web() -> Any:
    """A server of files under its URL."""
    return _running(_Web)


def s3() -> Any:
    """An S3 at its URL; files are under /bucket/key."""
    return _running(_S3)
