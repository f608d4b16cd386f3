#!/bin/sh
# Times finding among many tables, on a warehouse that the benchmark makes up:
# ingest, memory, start, search and whole discovery, for 50,000 and 100,000 tables.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/findtables" ./test/bench/findtables
for tables in ${*:-50000 100000}; do
  "$work/findtables" -tables "$tables"
done
