#!/bin/sh
# Imports documents as Swift, and lets the compiler check the types against the built modules.
#   import_swift.sh [DOCUMENT …]     RESTHOST: the program; RESTHOST_BUILD: the folder of the build
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
program=$(realpath "${RESTHOST:-$root/.build/debug/resthost}")
build=$(realpath "${RESTHOST_BUILD:-$root/.build/debug}")
[ $# -gt 0 ] || set -- "$here/../documents/library.json" "$here/../documents/garden_swagger.json"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0
for document in "$@"; do
    document=$(realpath "$document")
    (cd "$folder" && "$program" import openapi "$document" --output imported --swift >/dev/null)
    # The options have paths that begin at the root of the package.
    cd "$root"
    # shellcheck disable=SC2046
    messages=$(swiftc -typecheck -swift-version 6 -enable-upcoming-feature ExistentialAny \
        -warnings-as-errors $(scripts/module-options "$build") "$folder/imported.generated.swift" 2>&1) || {
        echo "import: the Swift of $document has errors:" >&2
        echo "$messages" >&2
        exit 1
    }
    rm "$folder"/imported*
    count=$((count + 1))
done
echo "import: the compiler accepts the Swift of $count documents"
