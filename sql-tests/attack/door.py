"""Reads attempts from standard input, a JSON object a line, and writes what came of each: null, or the error's text."""

import json
import sys

import quern

client = quern.Client()
for line in sys.stdin:
    attempt = json.loads(line)
    try:
        client.read_only(attempt["sql"], attempt["params"])
        print("null", flush=True)
    except Exception as error:  # whatever it is, it is told
        print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)
client.close()
