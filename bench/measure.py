"""measure.py COMMAND ARG...: runs a command once and prints what the system says of it, as one JSON object.

wall, user and sys in seconds, rss (the peak, of the largest single process) in bytes, the exit code, and what the
command printed. The numbers come from wait4, so they are those of this one command and of what it waited for. Python
is all that it needs.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

with tempfile.TemporaryFile() as said:
    began = time.perf_counter()
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - began
    said.seek(0)
    text = said.read().decode(errors="replace")

print(
    json.dumps(
        {
            "wall": wall,
            "user": usage.ru_utime,
            "sys": usage.ru_stime,
            "rss": usage.ru_maxrss * 1024,
            "code": os.waitstatus_to_exitcode(status),
            "text": text,
        }
    )
)
