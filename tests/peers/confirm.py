"""Sends the curl line of every finding in a report of `pmh check` again, and prints what came beside what was expected.

usage: pmh check BASE_URL | python3 confirm.py [BYTES]      so many bytes of each answer, default 400
"""

import re
import subprocess
import sys

bytes_max = int(sys.argv[1]) if len(sys.argv) > 1 else 400
check = expected = None
shown = set()
for line in sys.stdin:
    if match := re.match(r"(?:fail|warn) (\S+) ", line):
        check = match[1]
    elif "expected" in line and "·" in line:
        expected = line.strip()
    elif (match := re.match(r"\s+(curl .*)", line)) and check and check not in shown:
        shown.add(check)
        command = match[1].replace("curl -sS", "curl -sS -i --max-time 20", 1)
        came = subprocess.run(["sh", "-c", command], capture_output=True, timeout=30)
        head, _, body = came.stdout.decode("utf-8", "replace").partition("\r\n\r\n")
        fields = [field for field in head.split("\r\n")[1:] if field.lower().startswith("content-")]
        text = " ".join(body.split())
        start = max(text.find("request"), 1) - 1
        print(f"--- {check}\n{expected}\n$ {match[1]}\n{head.splitlines()[:1]} {fields}\n{text[start:start + bytes_max]}")
