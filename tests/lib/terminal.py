"""Programs on a terminal of a given width: what they write there, and each line as it is drawn."""
import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios


def on_terminal(command, columns, env=None, cwd=None, timeout=120, stdout=None):
    """(exit code, everything that was written): standard error, and output if it is not given, are a terminal with so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, env={**os.environ, "TERM": "xterm", **(env or {})}, cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=stdout if stdout is not None else theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    seen = b""
    try:
        with contextlib.suppress(OSError):      # the other end is gone
            while data := os.read(ours, 1 << 16):
                seen += data
        code = process.wait(timeout)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return code, seen.decode("utf-8", "replace").replace("\r\n", "\n")


def drawn(text):
    """The lines that were drawn one over the other, without colours."""
    return [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", part) for part in re.split(r"\r\x1b\[K", text)[1:]]
