"""A server with Digest as RFC 7616 has it, on hashlib alone. It shares no code with the package.

The one argument is JSON: `users` (name to password), `challenges` (a list of `algorithm`, `qop`, `userhash`), and
optionally `realm`, `uses` (of a nonce, before it is stale), `next` (true: each response brings the next nonce),
`proof` (false: no Authentication-Info). Prints its port. `GET /.served` is what it has served, in JSON.
"""

import hashlib
import json
import re
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

config = json.loads(sys.argv[1])
users = config["users"]
realm = config.get("realm", "reference")
uses = config.get("uses", 1 << 30)
lock = threading.Lock()
counts = {}
served = []


def digest(algorithm, data):
    name = re.sub("-sess$", "", algorithm, flags=re.I).upper()
    library = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}[name]
    return hashlib.new(library, data if isinstance(data, bytes) else data.encode()).hexdigest()


def new_nonce():
    nonce = secrets.token_hex(16)
    with lock:
        counts[nonce] = set()
    return nonce


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_fields(header):
    found = re.findall(r'([a-z*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))', header, flags=re.I)
    return {name.lower(): re.sub(r"\\(.)", r"\1", text) if text else plain for name, text, plain in found}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read_body(self):
        if "chunked" in self.headers.get("transfer-encoding", ""):
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def verify(self, body):
        """Returns what is wrong, and the fields with the key if nothing is."""
        header = self.headers.get("authorization")
        if header is None:
            return "none", None
        if not header.lower().startswith("digest "):
            return "another scheme", None
        fields = read_fields(header[7:])
        algorithm = fields.get("algorithm", "MD5")
        offered = {(each.get("algorithm", "MD5")).lower(): each for each in config["challenges"]}
        if algorithm.lower() not in offered:
            return "algorithm", None
        challenge = offered[algorithm.lower()]
        name = fields.get("username")
        if "username*" in fields:
            encoding, _, text = fields["username*"].split("'", 2)
            name = unquote(text, encoding)
        if fields.get("userhash") == "true":
            hashes = {digest(algorithm, f"{user}:{realm}"): user for user in users}
            name = hashes.get(name)
        if name not in users or fields.get("realm") != realm:
            return "user", None
        if fields.get("uri") != self.path:
            return "uri", None
        nonce, qop = fields.get("nonce"), fields.get("qop")
        key = digest(algorithm, f"{name}:{realm}:{users[name]}")
        if algorithm.lower().endswith("-sess"):
            key = digest(algorithm, f"{key}:{fields.get('nonce')}:{fields.get('cnonce')}")
        if challenge.get("qop"):
            if qop not in re.split(r"[\s,]+", challenge["qop"]):
                return "qop", None
            middle = f"{nonce}:{fields['nc']}:{fields['cnonce']}:{qop}"
        else:
            middle = nonce
        target = f"{self.command}:{self.path}"
        if qop == "auth-int":
            target += ":" + digest(algorithm, body)
        if fields.get("response") != digest(algorithm, f"{key}:{middle}:{digest(algorithm, target)}"):
            return "response", None
        with lock:
            seen = counts.get(nonce)
            if seen is None or len(seen) >= uses:
                return "stale", None
            if qop:
                if fields["nc"] in seen:
                    return "replay", None
                seen.add(fields["nc"])
            else:
                seen.add(len(seen))
        return None, {**fields, "key": key, "middle": middle, "algorithm": algorithm}

    def serve(self):
        body = self.read_body()
        problem, fields = self.verify(body)
        status = 401 if problem else 200
        content = b"no" if problem else b"yes"
        if self.path == "/.served":
            status, problem, fields, content = 200, None, None, json.dumps(served).encode()
        else:
            served.append({"status": status, "problem": problem, "header": self.headers.get("authorization"),
                           "method": self.command, "path": self.path, "body": len(body)})
        self.send_response(status)
        if problem:
            for each in config["challenges"]:
                parts = [f"realm={quote(realm)}", f"nonce={quote(new_nonce())}", 'opaque="an, opaque"']
                parts += [f"algorithm={each['algorithm']}"] if "algorithm" in each else []
                parts += [f'qop="{each["qop"]}"'] if "qop" in each else []
                parts += ["userhash=true"] if each.get("userhash") else []
                parts += ["stale=true"] if problem == "stale" else []
                self.send_header("WWW-Authenticate", "Digest " + ", ".join(parts))
        elif fields and config.get("proof", True):
            target = f":{self.path}"
            if fields.get("qop") == "auth-int":
                target += ":" + digest(fields["algorithm"], content)
            proof = digest(fields["algorithm"], f"{fields['key']}:{fields['middle']}:{digest(fields['algorithm'], target)}")
            info = [f'rspauth="{proof}"']
            if fields.get("qop"):
                info += [f"qop={fields['qop']}", f"nc={fields['nc']}", f"cnonce={quote(fields['cnonce'])}"]
            if config.get("next"):
                info.append(f"nextnonce={quote(new_nonce())}")
            self.send_header("Authentication-Info", ", ".join(info))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, *_):
        """Clients that end leave their connections to the system."""


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
