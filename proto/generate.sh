#!/usr/bin/env bash
# Makes the Python code of the protos. Usage: proto/generate.sh PYTHON FOLDER
# FOLDER gets cycloud/<package>/v1/*_pb2.py, *_pb2.pyi and *_pb2_grpc.py; those that have no proto any more are removed.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
PYTHON=$1 OUT=$2
mapfile -t PROTOS < <(find proto/cycloud -name '*.proto' | LC_ALL=C sort)
find "$OUT"/cycloud/*/v1 -maxdepth 1 \( -name '*_pb2.py' -o -name '*_pb2.pyi' -o -name '*_pb2_grpc.py' \) -delete 2>/dev/null || true
mkdir -p "$OUT"
"$PYTHON" -m grpc_tools.protoc -I proto --python_out="$OUT" --pyi_out="$OUT" --grpc_python_out="$OUT" "${PROTOS[@]}"
# a file without a service has no stubs
grep -L '^service ' "${PROTOS[@]}" | while read -r file; do
    file=${file#proto/}
    rm -f "$OUT/${file%.proto}_pb2_grpc.py"
done
# with the comments, from which the OpenAPI schema gets its texts
"$PYTHON" -m grpc_tools.protoc -I proto --include_source_info \
    --descriptor_set_out="$OUT/cycloud/common/v1/descriptors.binpb" "${PROTOS[@]}" google/longrunning/operations.proto google/rpc/error_details.proto google/rpc/status.proto
