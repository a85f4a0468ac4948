"""Serves a Ceph of one disk in memory, with its gateway of S3, by the ceph.conf in a folder, until its standard input or
one of the servers ends.

Usage: serve_radosgw.py <folder> <address of the monitor> <access key> <secret key>
"""

import os
import sys
from subprocess import DEVNULL, Popen, check_call
from uuid import uuid4

from serving import serving

folder, monitor_address, access_key, secret_key = sys.argv[1:]
os.environ["CEPH_CONF"] = os.path.join(folder, "ceph.conf")


def call(*command):
    check_call(command, stdin=DEVNULL, timeout=60)


with serving() as servers:

    def start(*command):
        servers.append(Popen([*command, "-f"], stdin=DEVNULL))

    call("ceph-mon", "-i", "a", "--mkfs", "--public-addr", monitor_address)
    start("ceph-mon", "-i", "a")
    disk = str(uuid4())
    call("ceph", "osd", "new", disk)
    call("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", disk)
    start("ceph-osd", "-i", "0")
    names = ["--uid", "svc", "--display-name", "svc"]
    call("radosgw-admin", "user", "create", *names, "--access-key", access_key, "--secret-key", secret_key)
    start("radosgw", "-n", "client.admin")
