"""True when an idle connection is still good, without asking the server."""

from __future__ import annotations

import select
from typing import Any

from psycopg.pq import ConnStatus, TransactionStatus


def is_idle(connection: Any) -> bool:
    """Nothing is under way on it, so that another may have it."""
    return not connection.closed and connection.pgconn.transaction_status == TransactionStatus.IDLE


def is_alive(connection: Any) -> bool:
    """Open and silent: what an idle server says is that it ends."""
    if connection.closed or connection.pgconn.status != ConnStatus.OK:
        return False
    socket = connection.pgconn.socket
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(socket, select.POLLIN)
        return not poll.poll(0)
    return not select.select([socket], [], [], 0)[0]
