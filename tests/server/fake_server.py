"""A server over the fake well, to be run as a process: ``python -m tests.server.fake_server OPTIONS-AS-JSON``."""

from __future__ import annotations

import json
import sys

from drawwell.server.serve import ServeConfig, serve
from tests.server.fakes import FakeWell

if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    for name in ("allowed_hosts", "allowed_origins"):
        options[name] = tuple(options.get(name, ()))
    serve(ServeConfig(toolsets=(FakeWell(),), **options))
