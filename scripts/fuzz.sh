#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME each (60s), two workers at a
# time. Arguments narrow it to packages: scripts/fuzz.sh ./pkg/sql/parser
# What a target finds is kept by go test under the package's testdata/fuzz: commit
# it together with the fix.
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
  exit 1
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
  tail -n 60 "$log"
  rm -f "$log"
  return 1
}

failed=0
while read -r folder target; do
  echo "== $folder $target for $time"
  case $folder in
    ./* | /*) package=$folder ;;
    *) package=./$folder ;;
  esac
  fuzz "$package" "$target" || failed=1
done <<<"$targets"
exit $failed
