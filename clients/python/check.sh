#!/usr/bin/env bash
# check.sh [VENV]: the generated client is current, installs, and talks to a
# real server (started here on a free port, with a small data directory).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
venv=${1:-$work/venv}
cp -r "$here/src" "$work/before"
bash "$here/generate.sh" "$venv"
diff -r -x '*.egg-info' -x __pycache__ "$work/before" "$here/src"
"$venv/bin/pip" -q --disable-pip-version-check install "$here"
rm -rf "$here/build" "$here"/src/*.egg-info

(cd "$root" && go build -o "$work/dibrain" ./cmd/dibrain)
port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
"$work/dibrain" ingest csv "$root/test/e2e/testdata/bikes" --name bikes --data-dir "$work/data"
"$work/dibrain" serve --data-dir "$work/data" --listen "127.0.0.1:$port" --admin-listen "" >"$work/log" 2>&1 &
server=$!
"$venv/bin/python" "$here/example.py" "127.0.0.1:$port" bikes "How many stations are there?" ||
  { cat "$work/log"; exit 1; }
