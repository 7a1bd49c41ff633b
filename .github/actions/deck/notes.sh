#!/usr/bin/env bash
# Puts the file NOTES on the GitHub release of TAG, which is created if it does not exist.
set -euo pipefail

LONGEST=120000 # in bytes; GitHub accepts 125,000 characters

notes=$(mktemp)
head -c "$LONGEST" "$NOTES" | iconv -c -f utf-8 -t utf-8 >"$notes" || true
if [ "$(wc -c <"$NOTES")" -gt "$LONGEST" ]; then printf '\n\nThe rest is in notes.md.\n' >>"$notes"; fi

if gh release view "$TAG" >/dev/null 2>&1; then
    gh release edit "$TAG" --notes-file "$notes"
else
    gh release create "$TAG" --verify-tag --title "$TAG" --notes-file "$notes"
fi
