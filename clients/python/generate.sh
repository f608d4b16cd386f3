#!/usr/bin/env bash
# generate.sh: remakes the generated part of the Python client from proto/, in a
# virtual environment of its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=${1:-$(mktemp -d)/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" -q --disable-pip-version-check install grpcio-tools==1.76.0
out="$here/src"
rm -rf "$out/dibrain" "$out/buf"
cd "$root/proto"
# buf/validate comes along because the messages name its options.
mapfile -t files < <(find dibrain -path '*/v1/*.proto' | sort)
"$venv/bin/python" -m grpc_tools.protoc -I third_party -I . \
  --python_out="$out" --pyi_out="$out" buf/validate/validate.proto "${files[@]}"
mapfile -t services < <(grep -l '^service ' "${files[@]}")
"$venv/bin/python" -m grpc_tools.protoc -I third_party -I . --grpc_python_out="$out" "${services[@]}"
