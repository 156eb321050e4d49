"""Runs a Pulumi program: run.py PROGRAM ENGINE, with a pulumirpc.RunRequest on stdin.

The runner of Pulumi's own language host is no part of the package `pulumi`. That of its Automation API is.
"""

import os
import runpy
import sys

from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2

ALREADY_SHOWN = 32

program, engine = sys.argv[1:]
request = language_pb2.RunRequest.FromString(sys.stdin.buffer.read())
arguments = list(request.args)
# Where the Automation API finds the engine's address.
request.args[:] = [engine]
sys.argv = [program, *arguments]
# Modules beside the program are the program's, not those beside this file.
sys.path[0] = program if os.path.isdir(program) else os.path.dirname(program)
result = LanguageServer(lambda: runpy.run_path(program, run_name="__main__") and None).Run(request, None)
# Threads of gRPC may wait for an engine that has gone.
sys.stdout.flush()
sys.stderr.flush()
os._exit(ALREADY_SHOWN if result.error else 0)
