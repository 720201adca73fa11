"""Quern's Python client while its server is killed and started again (../quern-python.test.ts does that at each
`!` line, and says so by a line): batches, an answer under way, waits; it says in TAP lines what it met."""

import os
import sys

import quern
from quern import Client, error

BATCHES, SIZE = 12, 200
PATIENT = {"max_retries": 600, "timeout": 600_000, "backoff": {"base": 1.5, "init_backoff": 50, "max_backoff": 1000}}


def say(line):
    print(line, flush=True)


def wait_until_killed():
    """Of each `!`, once."""
    sys.stdin.readline()


def connect(**retry):
    return Client(
        os.environ["PGPASSWORD"], host=os.environ["PGHOST"], port=int(os.environ["PGPORT"]), retry_config=retry
    )


def batches(client):
    """Upserts go on over the end of the server, and what was sent twice is there once."""
    client.collections().create("restarted", {})
    target = client.collection("restarted")
    lsns = []
    for batch in range(BATCHES):
        if batch == 4:
            say("!")
        lsns.append(int(target.upsert([{"_id": f"{batch}-{at}", "batch": batch, "at": at} for at in range(SIZE)])))
    wait_until_killed()
    assert target.count() == BATCHES * SIZE, target.count()
    assert lsns == sorted(set(lsns)), lsns
    say("ok batches")


def idle_connections(client):
    """Connections that ended between calls are found before they are used: nothing fails, whatever it is."""
    target = client.collection("restarted")
    say("!")
    wait_until_killed()
    assert target.update([{"_id": "0-0", "x": 1}]) != ""
    assert target.get(["0-0"])["0-0"]["x"] == 1
    say("ok idle connections")


def answers_and_statements_under_way(client, impatient):
    """A call that runs when the server ends raises a typed error where it may have been done."""
    client.datasets().create("asked")
    dataset = client.dataset("asked")
    handles = [
        dataset.upsert_file(
            f"d{at}", (f"d{at}.md", f"# Ship {at}\n\nShip {at} moves {at} containers.".encode(), "text/markdown")
        )
        for at in range(3)
    ]
    for handle in handles:
        dataset.wait_for_handle(handle, {"frequency_secs": 1, "timeout_secs": 600})
    say("ok datasets outlive the server")
    messages = impatient.ask("How many containers does ship 2 move?", ["asked"])
    assert isinstance(next(messages), quern.Progress)
    say("! soon")
    try:
        impatient.sql("SELECT pg_sleep(30)")
        say("not ok statements under way: it ended well")
    except error.ConnectionLostError:
        say("ok statements under way")
    wait_until_killed()
    try:
        assert isinstance([*messages][-1], quern.Answer)  # it had come already
    except error.ConnectionLostError:
        pass
    *_, answer = client.ask("How many containers does ship 2 move?", ["asked"])
    assert isinstance(answer, quern.Answer)
    say("ok answers under way")


def main():
    with connect(**PATIENT) as client, connect(max_retries=0) as impatient:
        batches(client)
        idle_connections(client)
        answers_and_statements_under_way(client, impatient)


main()
