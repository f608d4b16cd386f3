#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME each (60s), two workers at a
# time. Arguments narrow it to packages: scripts/fuzz.sh ./pkg/sql/parser
# What a target finds is printed, and kept by go test under the package's
# testdata/fuzz: commit it together with the fix; from then on `go test` holds it.
# An input that .ci/fuzz-known lists with its owner is told and does not count.
# Exit status: 1 where something else was found, 2 where a target could not be run or
# fails on its seeds already, or where a line of the list cannot be read.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${FUZZTIME:-60s}
workers=${FUZZWORKERS:-2}
if [ $# -gt 0 ]; then
  folders=("$@")
else
  folders=(.)
fi

known=.ci/fuzz-known
if bad=$(grep -vnE '^(#|$|[^ ]+ Fuzz[A-Za-z0-9_]* [0-9a-f]+ [^ ]+ [0-9]{4}-[0-9]{2}-[0-9]{2} .+)' "$known"); then
  printf '%s: these lines are not "FOLDER TARGET NAME OWNER DATE what":\n%s\n' "$known" "$bad" >&2
  exit 2
fi

# is_known PACKAGE TARGET NAME: whether somebody owns this input.
is_known() { grep -qF "${1#./} $2 $3 " "$known"; }

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
  local input found=0 owned=0
  while read -r input; do
    found=$((found + 1))
    if is_known "$1" "$2" "$(basename "$input")"; then
      owned=$((owned + 1))
      echo "known $1/$input: $(grep -F "${1#./} $2 $(basename "$input") " "$known")"
      rm -f "$1/$input" # go test would fail on it
      continue
    fi
    echo "found $1/$input:"
    cut -c1-2000 "$1/$input"
  done < <(sed -n 's/.*Failing input written to \(.*\)/\1/p' "$log")
  if [ $found -gt 0 ] && [ $found = $owned ]; then
    rm -f "$log"
    return 0
  fi
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
