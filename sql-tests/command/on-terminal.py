"""Runs a command on a pseudo-terminal of a size: waits for texts, types keys, and prints as JSON what was shown.

Arguments: {"argv": [...], "columns": 80, "steps": [[text, keys, command], ...]} as JSON. A step waits until its text
has been shown since the step before, and until its shell command, where it has one, ends with 0; then it types its keys.
The result: {"code", "out"}; a process that a signal ended has the code that shells tell.
"""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import time

given = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, given["columns"], 0, 0))
    os.execvp(given["argv"][0], given["argv"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, given["columns"], 0, 0))
steps = given["steps"]
shown = b""
seen = 0
while True:
    while steps:
        at = shown.find(steps[0][0].encode(), seen)
        if at < 0:
            break
        text, keys, *until = steps.pop(0)
        seen = at + len(text.encode())
        while until and subprocess.run(until[0], shell=True, capture_output=True).returncode != 0:
            time.sleep(0.1)
        os.write(terminal, keys.encode())
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
json.dump({"code": code if code >= 0 else 128 - code, "out": shown.decode(errors="replace")}, sys.stdout)
