#!/usr/bin/python3
"""gRPC both ways with an independent implementation: Debian's python3-grpcio.

    grpc_interop.py ECHO_SERVER ECHO_CLIENT

ECHO_SERVER and ECHO_CLIENT are our programs of the echo service (src/grpc/testing_echo.h). Speaks TAP.
"""
import concurrent.futures
import functools
import os
import subprocess
import sys
import tempfile
import threading
import time

try:
    import grpc
except ImportError:
    print("1..0 # SKIP tool:python3-grpcio it is not installed")
    sys.exit(0)

OPTIONS = [
    ("grpc.max_receive_message_length", 100 << 20),
    ("grpc.max_send_message_length", 200 << 20),
    ("grpc.ssl_target_name_override", "localhost"),
    ("grpc.use_local_subchannel_pool", 1),
]
LARGE = 64 << 20
TEXT = "Größe 100% €\nzwei"

results = []


def report(name, ok, why=""):
    results.append(ok)
    print("%s %d - %s" % ("ok" if ok else "not ok", len(results), name))
    if not ok and why:
        print("# " + str(why).replace("\n", "\n# "))
    sys.stdout.flush()


def attempt(name, function):
    try:
        function()
        report(name, True)
    except Exception as error:  # a test that raises has failed, whatever it raised
        report(name, False, repr(error))


@functools.lru_cache(maxsize=None)
def pattern(n):
    """Byte i is i*31 + i/256, as in testing_echo.h; it repeats after 64 KiB."""
    block = bytes((i * 31 + i // 256) & 255 for i in range(min(n, 65536)))
    return (block * (n // 65536 + 1))[:n]


def make_certificate(folder, name, *algorithm):
    """A key and a self-signed certificate, as files and as bytes."""
    key, cert = os.path.join(folder, name + ".key"), os.path.join(folder, name + ".pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes", "-keyout", key, "-out", cert, "-days", "2",
         "-subj", "/O=Test/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(key, "rb") as k, open(cert, "rb") as c:
        return k.read(), c.read(), cert


# ---- our server, their client ----


class OurServer:
    def __init__(self, program, *args):
        self.process = subprocess.Popen([program, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.address = self.process.stdout.readline().decode().strip()
        self.certificate = b""
        for line in self.process.stdout:
            if line == b"ready\n":
                return
            self.certificate += line
        raise RuntimeError("the server did not start")

    def stop(self):
        """How many calls were cancelled."""
        out, _ = self.process.communicate(timeout=30)
        if self.process.returncode != 0:
            raise RuntimeError("the server ended with %d" % self.process.returncode)
        return int(out.split()[-1])


def expect(ok, what="unexpected"):
    if not ok:
        raise AssertionError(what)


def expect_code(code, call):
    try:
        call()
    except grpc.RpcError as error:
        expect(error.code() == code, error)
        return error
    raise AssertionError("succeeded, expected " + str(code))


def call_our_server(label, channel):
    def stub(kind, method):
        return getattr(channel, kind)("/test.Echo/" + method)

    unary = stub("unary_unary", "Unary")

    def server_stream():
        got = list(stub("unary_stream", "Repeat")(b"500 5000", timeout=60))
        expect(len(got) == 500 and all(m == pattern(5000) for m in got))

    def slow_server_stream():
        n = 0
        for message in stub("unary_stream", "Repeat")(b"3000 10000", timeout=60):
            n += 1
            if n % 1000 == 0:
                time.sleep(0.1)
        expect(n == 3000, n)

    def client_stream():
        answer = stub("stream_unary", "Collect")(iter([pattern(10000)] * 1000), timeout=60)
        expect(answer == b"1000 10000000", answer)

    def chat():
        sent = [pattern(i * 11) for i in range(200)]
        expect(list(stub("stream_stream", "Chat")(iter(sent), timeout=60)) == sent)

    def failure():
        error = expect_code(grpc.StatusCode.NOT_FOUND, lambda: stub("unary_unary", "Fail")(("5 " + TEXT).encode()))
        expect(error.details() == TEXT, error.details())

    def cancellation():
        future = stub("unary_unary", "Hold").future(b"")
        time.sleep(0.2)
        future.cancel()
        expect(future.cancelled())

    def echo(n):
        message = pattern(n)
        expect(unary(message, timeout=60) == message)

    def threads():
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda i: echo(i * 10), range(400)))

    attempt(label + "unary", lambda: echo(1000))
    attempt(label + "empty message", lambda: echo(0))
    attempt(label + "message of 64 MiB", lambda: echo(LARGE))
    attempt(label + "server stream", server_stream)
    attempt(label + "server stream, slow reader", slow_server_stream)
    attempt(label + "client stream", client_stream)
    attempt(label + "chat", chat)
    attempt(label + "status with text beyond ASCII", failure)
    attempt(label + "unknown method",
            lambda: expect_code(grpc.StatusCode.UNIMPLEMENTED, lambda: stub("unary_unary", "Nothing")(b"")))
    attempt(label + "message over the server's limit",
            lambda: expect_code(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: unary(bytes((100 << 20) + 1), timeout=60)))
    attempt(label + "deadline",
            lambda: expect_code(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: stub("unary_unary", "Hold")(b"", timeout=0.3)))
    attempt(label + "cancellation", cancellation)
    attempt(label + "many threads", threads)


def their_client(program, folder):
    server = OurServer(program, "unix", os.path.join(folder, "a.sock"))
    with grpc.insecure_channel("unix:" + server.address, OPTIONS) as channel:
        call_our_server("python client, unix: ", channel)
    # Over the limit, past its deadline, cancelled.
    attempt("python client, unix: early ends reached the server", lambda: expect(server.stop() == 3))

    server = OurServer(program, "tcp", "127.0.0.1:0")
    with grpc.insecure_channel(server.address, OPTIONS) as channel:
        call_our_server("python client, tcp: ", channel)
    server.stop()

    for name, algorithm in (("P-256", ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")),
                            ("P-521", ("ec", "-pkeyopt", "ec_paramgen_curve:P-521")), ("RSA", ("rsa:2048",))):
        key, cert, path = make_certificate(folder, "client-" + name, *algorithm)
        server = OurServer(program, "unix", os.path.join(folder, name + ".sock"), path)
        credentials = grpc.ssl_channel_credentials(server.certificate, key, cert)
        with grpc.secure_channel("unix:" + server.address, credentials, OPTIONS) as channel:
            call_our_server("python client, mutual TLS, %s: " % name, channel)
        other_key, other_cert, _ = make_certificate(folder, "other", *algorithm)
        credentials = grpc.ssl_channel_credentials(server.certificate, other_key, other_cert)
        with grpc.secure_channel("unix:" + server.address, credentials, OPTIONS) as channel:
            attempt("python client, mutual TLS, %s: another certificate is refused" % name,
                    lambda: expect_code(grpc.StatusCode.UNAVAILABLE,
                                        lambda: channel.unary_unary("/test.Echo/Unary")(b"", timeout=10)))
        server.stop()


# ---- their server, our client ----


class Counter:
    cancelled = 0
    lock = threading.Lock()


def hold(_, context):
    done = threading.Event()
    if context.add_callback(done.set):
        done.wait(20)
    with Counter.lock:
        Counter.cancelled += 1
    return b""


def repeat(request, _):
    count, size = (int(x) for x in request.split())
    message = pattern(size)
    for _ in range(count):
        yield message


def collect(messages, _):
    sizes = [len(m) for m in messages]
    return b"%d %d" % (len(sizes), sum(sizes))


def fail(request, context):
    code, text = request.decode().split(" ", 1)
    context.abort(next(c for c in grpc.StatusCode if c.value[0] == int(code)), text)


def their_service():
    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(lambda request, _: request),
        "Repeat": grpc.unary_stream_rpc_method_handler(repeat),
        "Collect": grpc.stream_unary_rpc_method_handler(collect),
        "Chat": grpc.stream_stream_rpc_method_handler(lambda messages, _: messages),
        "Fail": grpc.unary_unary_rpc_method_handler(fail),
        "Hold": grpc.unary_unary_rpc_method_handler(hold),
    }
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(32), options=OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Echo", handlers),))
    return server


def take_reports(label, process, text):
    out, _ = process.communicate(text, timeout=120)
    lines = out.decode().splitlines()
    for line in lines:
        if line.startswith("ok "):
            report(label + line[3:], True)
        elif line.startswith("not ok "):
            report(label + line[7:], False)
    report(label + "ends well", process.returncode == 0 and len(lines) > 10, "exit %d" % process.returncode)


def our_client(program, folder):
    for network, address in (("unix", "unix:" + os.path.join(folder, "b.sock")), ("tcp", "127.0.0.1:0")):
        server = their_service()
        port = server.add_insecure_port(address)
        server.start()
        text = address[len("unix:"):] if network == "unix" else "127.0.0.1:%d" % port
        process = subprocess.Popen([program, network, text], stdout=subprocess.PIPE)
        take_reports("our client, %s: " % network, process, None)
        server.stop(1).wait()
    attempt("our client: early ends reached the server", lambda: expect(Counter.cancelled == 4, Counter.cancelled))

    for name, algorithm in (("P-256", ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")),
                            ("P-521", ("ec", "-pkeyopt", "ec_paramgen_curve:P-521")), ("RSA", ("rsa:2048",))):
        key, cert, path = make_certificate(folder, "server-" + name, *algorithm)
        _, _, other = make_certificate(folder, "other-" + name, *algorithm)
        for pinned in (path, other):
            process = subprocess.Popen([program, "--tls"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            certificate = b""
            for line in process.stdout:
                if line == b"ready\n":
                    break
                certificate += line
            server = their_service()
            socket = os.path.join(folder, "tls-%s-%d.sock" % (name, pinned == path))
            credentials = grpc.ssl_server_credentials([(key, cert)], certificate, require_client_auth=True)
            server.add_secure_port("unix:" + socket, credentials)
            server.start()
            text = ("unix\n%s\n%s\n" % (socket, pinned)).encode()
            label = "our client, mutual TLS, %s: " % name
            if pinned == path:
                take_reports(label, process, text)
            else:
                out, _ = process.communicate(text, timeout=60)
                report(label + "another certificate is refused", b"presented another certificate" in out, out)
            server.stop(1).wait()


def main():
    echo_server, echo_client = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="terrane-interop-") as folder:
        their_client(echo_server, folder)
        our_client(echo_client, folder)
    print("1..%d" % len(results))
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
