#!/bin/sh
# Writes gen/ from the protocol; run by `go generate`. The plugins are the tools that go.mod names.
set -eu
cd "$(dirname "$0")"
proto=../../../proto
mkdir -p gen
protoc --proto_path "$proto" \
    --plugin "protoc-gen-go=$(go tool -n protoc-gen-go)" --go_out gen \
    --plugin "protoc-gen-go-grpc=$(go tool -n protoc-gen-go-grpc)" --go-grpc_out gen \
    "$proto"/kawuxing/v1/*.proto
