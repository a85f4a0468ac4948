"""Serves a Swift of one disk from the configuration in a folder, until its standard input or one of the servers ends.

Usage: serve_swift.py <folder> <port of memcached>
"""

import os
import subprocess
import sys
from configparser import RawConfigParser
from getpass import getuser
from multiprocessing import get_context

from swift.common import utils

folder, cache_port = sys.argv[1:]
# The modules imported below read it.
utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import run_wsgi  # noqa: E402
from swift.obj.server import global_conf_callback  # noqa: E402

from serving import serving  # noqa: E402


def configuration(server):
    return os.path.join(folder, server + "-server.conf")


def save_ring(server):
    parser = RawConfigParser()
    parser.read(configuration(server))
    place = {"ip": "127.0.0.1", "port": parser.getint("DEFAULT", "bind_port"), "device": "disk"}
    builder = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    builder.add_dev({"region": 1, "zone": 1, "weight": 1, **place})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, server + ".ring.gz"))


def serve(server):
    options = {"global_conf_callback": global_conf_callback} if server == "object" else {}
    run_wsgi(configuration(server), server + "-server", verbose=True, **options)


for server in ("account", "container", "object"):
    save_ring(server)
start = get_context("fork").Process
with serving() as servers:
    servers.append(subprocess.Popen(["memcached", "-u", getuser(), "-l", "127.0.0.1", "-p", cache_port]))
    for server in ("account", "container", "object", "proxy"):
        process = start(target=serve, args=[server])
        process.start()
        servers.append(process)
