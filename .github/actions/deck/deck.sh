#!/usr/bin/env bash
# Checks the SOURCES (one on each line) and builds them into OUTPUT; STRICT and RELEASE are true or false. If RELEASE is true, a tag
# releases them there instead; the tag FIRST is the first release. Writes the results into the job summary and, of a pull request, into
# the folder CHANGES, which the action `changes` shows. The other variables come from GitHub.
set -euo pipefail

if [ "$GITHUB_EVENT_NAME" = pull_request_target ]; then
    echo "::error::\`pull_request_target\` gives strangers' pull requests your secrets; use \`pull_request\`"
    exit 1
fi

# The current folder is the checkout, which -I keeps Python from importing.
ptcards() { python -I -m ptcards "$@"; }

sources=()
while IFS= read -r source; do
    if [ -n "$source" ]; then sources+=("$source"); fi
done <<<"$SOURCES"

check=(--format github)
if [ "$STRICT" = true ]; then check+=(--strict); fi

# Published notes must be in the committed deck.lock. A pull request may add notes that are not in it yet.
build=(--output "$OUTPUT" --format apkg --format csv --format html)
old=()
case "$GITHUB_EVENT_NAME" in
pull_request)
    # A checkout with `fetch-depth: 0` has the branch, and needs no credentials afterwards.
    git rev-parse --quiet --verify "refs/remotes/origin/$GITHUB_BASE_REF" >/dev/null ||
        git fetch --quiet --no-tags --depth=1 origin "+refs/heads/$GITHUB_BASE_REF:refs/remotes/origin/$GITHUB_BASE_REF"
    old=("origin/$GITHUB_BASE_REF")
    ;;
*) if [ "$GITHUB_REF" = "refs/heads/$DEFAULT_BRANCH" ]; then build+=(--locked); fi ;;
esac

# Prints the folder that contains the deck.toml of a source, or nothing.
collection() {
    local folder
    folder=$(realpath "$1")
    if [ ! -d "$folder" ]; then folder=$(dirname "$folder"); fi
    while [ ! -e "$folder/deck.toml" ]; do
        if [ "$folder" = / ] || [ "$folder" = "$PWD" ]; then return; fi
        folder=$(dirname "$folder")
    done
    echo "$folder"
}

folders() { for source in "${sources[@]}"; do collection "$source"; done | sort -u; }

# Hands over what a pull request changes. Whatever cannot be drawn or compared is left out.
hand_over() {
    local number=0
    mkdir -p "$CHANGES"
    ptcards check --format json -- "${sources[@]}" >"$CHANGES/check.json" || true
    while IFS= read -r folder; do
        number=$((number + 1))
        mkdir "$CHANGES/$number"
        ptcards diff --format json -o "$CHANGES/$number/diff.json" -- "$folder" "${old[@]}" || continue
        ptcards diff --format html -o "$CHANGES/$number/changes.html" --pictures "$CHANGES/$number/pictures" -- "$folder" "${old[@]}" ||
            echo "::notice::the cards of $number cannot be drawn; see the log of this step"
    done < <(folders)
}

if [ "$GITHUB_EVENT_NAME" = pull_request ] && [ -n "$CHANGES" ]; then hand_over; fi

status=0
ptcards check "${check[@]}" -- "${sources[@]}" || status=$?
{
    printf '## Check\n\n````text\n'
    ptcards check --statistics --color never -- "${sources[@]}" 2>&1 || true
    printf '````\n'
} >>"$GITHUB_STEP_SUMMARY"
if [ "$status" != 0 ]; then exit "$status"; fi

if [ "$RELEASE" = true ] && [ "$GITHUB_REF_TYPE" = tag ]; then
    release=(--output "$OUTPUT")
    if [ "$GITHUB_REF_NAME" = "$FIRST" ]; then release+=(--first); fi
    ptcards release "${release[@]}" -- "${sources[@]}" "${GITHUB_REF_NAME#v}"
    cat "$OUTPUT/notes.md" >>"$GITHUB_STEP_SUMMARY"
    exit
fi

# This is done before the build, which records new notes in deck.lock.
{
    printf '# What learners would see\n'
    folders | while IFS= read -r folder; do
        echo
        (cd "$folder" && ptcards diff --format markdown "${old[@]}") ||
            echo "\`${folder#"$PWD/"}\` cannot be compared; see the log of this step."
    done
} >>"$GITHUB_STEP_SUMMARY"

ptcards build "${build[@]}" -- "${sources[@]}"
