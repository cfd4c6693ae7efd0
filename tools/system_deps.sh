#!/bin/sh
# What `make test-system` needs beside Python: Node, and the clients in tests/system/package.json.
# Installs what it may (Debian's packages as root); says what is missing and fails otherwise.
set -eu
cd "$(dirname "$0")/.."

if ! command -v npm >/dev/null 2>&1; then
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nodejs npm >/dev/null
  else
    echo "make test-system needs Node and npm: install them, then run it again" >&2
    exit 1
  fi
fi

lock=tests/system/package-lock.json
stamp=tests/system/node_modules/.installed
if ! cmp -s "$lock" "$stamp"; then
  npm ci --prefix tests/system --ignore-scripts --no-audit --no-fund --loglevel=error
  cp "$lock" "$stamp"
fi
