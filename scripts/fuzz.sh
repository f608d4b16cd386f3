#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME each (60s), two workers at a
# time. Arguments narrow it to packages: scripts/fuzz.sh ./pkg/sql/parser
# What a target finds is printed, and kept by go test under the package's
# testdata/fuzz: commit it together with the fix; from then on `go test` holds it.
# Exit status: 1 where something was found, 2 where a target could not be run or
# fails on its seeds already.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${FUZZTIME:-60s}
workers=${FUZZWORKERS:-2}
if [ $# -gt 0 ]; then
  folders=("$@")
else
  folders=(.)
fi

targets=$(grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*\(' "${folders[@]}" |
  sed -E 's#^(.*)/[^/:]*:[0-9]+:func (Fuzz[A-Za-z0-9_]*)\(.*#\1 \2#' | sort -u)
if [ -z "$targets" ]; then
  echo "no fuzz targets in ${folders[*]}" >&2
  exit 2
fi

# fuzz PACKAGE TARGET: a run that ends badly without an input to show for it is one
# that go test's own deadline met at an unlucky moment; it gets a second try.
fuzz() {
  local log
  log=$(mktemp)
  for _ in 1 2; do
    if go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$time" -parallel "$workers" </dev/null >"$log" 2>&1; then
      tail -n 2 "$log"
      rm -f "$log"
      return 0
    fi
    if grep -q 'Failing input written' "$log" || ! grep -q 'context deadline exceeded' "$log"; then break; fi
  done
  # The finding before all else: what prints this may cut the end off.
  sed -n 's/.*Failing input written to \(.*\)/\1/p' "$log" | while read -r input; do
    echo "found $1/$input:"
    cut -c1-2000 "$1/$input"
  done
  grep -vE '^fuzz: (elapsed|minimizing)' "$log" | tail -n 40
  local status=1
  if grep -qE 'build failed|setup failed|seed corpus entry' "$log"; then status=2; fi
  rm -f "$log"
  return $status
}

worst=0
while read -r folder target; do
  echo "== $folder $target for $time"
  case $folder in
    ./* | /*) package=$folder ;;
    *) package=./$folder ;;
  esac
  status=0
  fuzz "$package" "$target" || status=$?
  worst=$((status > worst ? status : worst))
done <<<"$targets"
exit $worst
