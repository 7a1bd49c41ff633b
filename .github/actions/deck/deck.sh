#!/usr/bin/env bash
# Checks and builds the SOURCES (one on each line) into OUTPUT; STRICT is true or false. The rest comes from GitHub.
set -euo pipefail

sources=()
while IFS= read -r source; do
    if [ -n "$source" ]; then sources+=("$source"); fi
done <<<"$SOURCES"

check=(--format github)
if [ "$STRICT" = true ]; then check+=(--strict); fi

# What is published has to be in deck.lock, committed. A pull request may bring notes that are not in it yet.
build=(--output "$OUTPUT")
case "$GITHUB_EVENT_NAME" in
pull_request*) ;;
*) if [ "$GITHUB_REF" = "refs/heads/$DEFAULT_BRANCH" ]; then build+=(--locked); fi ;;
esac

ptcards check "${check[@]}" -- "${sources[@]}"
ptcards build "${build[@]}" -- "${sources[@]}"
