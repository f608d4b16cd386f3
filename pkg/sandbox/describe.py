# What the sandbox has to know of an interpreter, as JSON. The packages to look for are the arguments.
import importlib.metadata
import json
import os
import platform
import sys

packages = {}
for name in sys.argv[1:]:
    try:
        packages[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps({
    "executable": sys.executable,
    "version": platform.python_version(),
    "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
    "path": [path for path in sys.path if path and os.path.exists(path)],
    "packages": packages,
}))
