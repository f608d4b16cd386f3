#!/usr/bin/env bash
# bench-sql.sh: parse, transpile and guard of pkg/sql over test/bench/sqlspeed,
# beside sqlglot (PyPI) on the same queries in the same minute. What counts is the
# ratio: the machine's mood is in both.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${SQLGLOT_VENV:-$(mktemp -d)/venv}
[ -x "$venv/bin/python" ] || { python3 -m venv "$venv" && "$venv/bin/pip" -q install 'sqlglot==30.30.0'; }
go build -o "$venv/sqlspeed" ./test/bench/sqlspeed
for _ in 1 2 3; do
  "$venv/sqlspeed" >"$venv/ours.json"
  "$venv/bin/python" test/bench/sqlspeed/sqlglot_speed.py test/bench/sqlspeed/queries.sql "$venv/ours.json"
done
