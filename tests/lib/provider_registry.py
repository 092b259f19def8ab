"""A provider registry and a network mirror on this machine, over TLS, as real terraform and tofu accept them: signed by real gpg.

    with Registry(folder) as registry:
        registry.publish("acme/thing", "1.0.0", {"linux_amd64": zip_of(...)})
        run([...], env=registry.env())

Whatever is asked is in `registry.requests`; `registry.override[PATH]` answers instead of what would be answered (bytes, or a
function of the request handler).
"""
import base64
import hashlib
import http.server
import io
import json
import os
import ssl
import subprocess
import threading
import zipfile


def zip_of(files):
    """The bytes of a zip: {name: content}. Always the same for the same content."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.external_attr = 0o755 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return out.getvalue()


def package_hash(files):
    """The h1: hash of a package, by its definition."""
    lines = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


class Keys:
    """Keys of gpg in a folder of their own."""

    def __init__(self, folder):
        self.home = folder
        os.makedirs(folder, mode=0o700)

    def gpg(self, *args, **more):
        done = subprocess.run(["gpg", "--homedir", self.home, "--batch", "--yes", "--pinentry-mode", "loopback", "--passphrase", "",
                               "--quiet", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def new(self, name, kind="rsa3072", expires="0", at=None):
        """A key that can sign; its fingerprint."""
        when = ["--faked-system-time", at] if at else []
        self.gpg(*when, "--quick-generate-key", name, kind, "sign", expires)
        listed = self.gpg("--list-keys", "--with-colons", name).decode()
        return [line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr")][-1]

    def add_subkey(self, fingerprint, kind="rsa3072"):
        self.gpg("--quick-add-key", fingerprint, kind, "sign", "0")

    def armor(self, fingerprint):
        return self.gpg("--armor", "--export", fingerprint).decode()

    def revoked(self, fingerprint):
        """The key as it is exported after it was revoked."""
        path = os.path.join(self.home, "openpgp-revocs.d", fingerprint + ".rev")
        text = open(path, encoding="utf-8").read().replace(":-----BEGIN", "-----BEGIN")
        self.gpg("--import", input=text.encode())
        return self.armor(fingerprint)

    def sign(self, fingerprint, data, at=None):
        when = ["--faked-system-time", at] if at else []
        return self.gpg(*when, "--local-user", fingerprint, "--detach-sign", "--output", "-", input=data)

    def close(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60)


def _certificates(folder):
    """A CA and a certificate of it for this machine."""
    def openssl(*args):
        subprocess.run(["openssl", *args], check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test CA",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "host.key", "-out", "host.csr", "-subj", "/CN=localhost")
    with open(os.path.join(folder, "ext"), "w", encoding="utf-8") as file:
        file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "host.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "host.pem", "-days", "2",
            "-extfile", "ext")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "registry"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", kind="application/json", headers=()):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def answer_file(self, body):
        """With ranges, as web servers do."""
        etag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
        wanted = self.headers.get("Range")
        start = 0
        if wanted and self.headers.get("If-Range", etag) == etag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(body):
                return self.answer(416, headers=[("Content-Range", f"bytes */{len(body)}")])
            return self.answer(206, body[start:], "application/zip",
                               [("ETag", etag), ("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")])
        return self.answer(200, body, "application/zip", [("ETag", etag), ("Accept-Ranges", "bytes")])

    def do_GET(self):
        registry = self.server.registry
        path = self.path
        registry.requests.append((path, dict(self.headers)))
        try:
            special = registry.override.get(path)
            if callable(special):
                return special(self)
            if special is not None:
                return self.answer(200, special)
            token = registry.token
            if token and path not in registry.open_paths and self.headers.get("Authorization") != f"Bearer {token}":
                return self.answer(401, {"errors": ["unauthorized"]})
            if path in registry.files:
                return self.answer_file(registry.files[path])
            if path in registry.documents:
                return self.answer(200, registry.documents[path])
            return self.answer(404, {"errors": ["Not Found"]})
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.close_connection = True
            return None


class Registry:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.documents, self.files, self.override, self.requests = {}, {}, {}, []
        self.token, self.open_paths = None, {"/.well-known/terraform.json"}
        self.keys = Keys(os.path.join(folder, "gnupg"))
        self.key = self.keys.new("Acme <acme@example.com>")
        _certificates(folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.registry = self
        self.server.handle_error = lambda *args: None  # clients that hang up are what is tested
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, "host.pem"), os.path.join(folder, "host.key"))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        self.host = f"localhost:{self.port}"
        self.documents["/.well-known/terraform.json"] = {"providers.v1": "/v1/providers/"}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.keys.close()

    def env(self, **more):
        return {"SSL_CERT_FILE": os.path.join(self.folder, "ca.pem"), **more}

    def publish(self, name, version, packages, protocols=("5.0", "6.0"), key=None, armor=None, signature=None, sums=None):
        """name: NAMESPACE/TYPE; packages: {OS_ARCH: bytes of the zip}. The rest is for registries that are wrong."""
        kind = name.split("/")[1]
        key = key or self.key
        base = f"/v1/providers/{name}"
        files = f"/files/{name}/{version}"
        names = {platform: f"terraform-provider-{kind}_{version}_{platform}.zip" for platform in packages}
        lines = "".join(f"{hashlib.sha256(packages[p]).hexdigest()}  {names[p]}\n" for p in sorted(packages))
        lines += f"{hashlib.sha256(version.encode()).hexdigest()}  terraform-provider-{kind}_{version}_manifest.json\n"  # as all real ones have it
        sums = lines.encode() if sums is None else sums
        if signature is None:
            signature = self.keys.sign(key, sums)
        self.files[f"{files}/SHA256SUMS"] = sums
        self.files[f"{files}/SHA256SUMS.sig"] = signature
        versions = self.documents.setdefault(f"{base}/versions", {"versions": []})
        versions["versions"] = [v for v in versions["versions"] if v["version"] != version]
        versions["versions"].append({"version": version, "protocols": list(protocols),
                                     "platforms": [dict(zip(("os", "arch"), p.split("_"))) for p in packages]})
        for platform, content in packages.items():
            system, arch = platform.split("_")
            self.files[f"{files}/{names[platform]}"] = content
            self.documents[f"{base}/{version}/download/{system}/{arch}"] = {
                "protocols": list(protocols), "os": system, "arch": arch, "filename": names[platform],
                "download_url": f"https://{self.host}{files}/{names[platform]}",
                "shasums_url": f"https://{self.host}{files}/SHA256SUMS",
                "shasums_signature_url": f"https://{self.host}{files}/SHA256SUMS.sig",
                "shasum": hashlib.sha256(content).hexdigest(),
                "signing_keys": {"gpg_public_keys": [{"key_id": key[-16:], "ascii_armor": armor or self.keys.armor(key)}]},
            }

    def mirror(self, address, version, packages, hashes=None):
        """The same as a network mirror under /mirror/; address: HOST/NAMESPACE/TYPE; hashes: {OS_ARCH: [...]}."""
        kind = address.split("/")[2]
        base = f"/mirror/{address}"
        index = self.documents.setdefault(f"{base}/index.json", {"versions": {}})
        index["versions"][version] = {}
        archives = {}
        for platform, content in packages.items():
            name = f"terraform-provider-{kind}_{version}_{platform}.zip"
            self.files[f"{base}/{name}"] = content
            archives[platform] = {"url": name}
            if hashes and platform in hashes:
                archives[platform]["hashes"] = hashes[platform]
        self.documents[f"{base}/{version}.json"] = {"archives": archives}

    def mirror_url(self):
        return f"https://{self.host}/mirror/"
