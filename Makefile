# Everything that a developer runs. `make demo` and `make test` need only Python 3.11, make and a C compiler.
VENV ?= .venv
PYTHON ?= python3.11
BIN := $(VENV)/bin

.PHONY: proto
proto: ## Generate the Python code of the protocol
	cd proto && ../$(BIN)/python -m grpc_tools.protoc -I. --python_out=. --mypy_out=quiet:. kawuxing/v1/*.proto
	cd proto && ../$(BIN)/python -m grpc_tools.protoc -I. --grpc_python_out=. --mypy_grpc_out=quiet:. kawuxing/v1/*_service.proto
