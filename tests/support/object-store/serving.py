import os
import sys
from contextlib import contextmanager
from multiprocessing.connection import wait


def end_of(server):
    return os.pidfd_open(server.pid)


@contextmanager
def serving():
    """Gives a list for the servers that are started. They are killed once the standard input or one of them ends."""
    servers = []
    try:
        yield servers
        wait([sys.stdin.fileno(), *map(end_of, servers)])
    finally:
        for server in servers:
            server.kill()
            wait([end_of(server)])
