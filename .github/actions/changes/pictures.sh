#!/usr/bin/env bash
# Puts the pictures in FOLDER/shown on the branch BRANCH of ORIGIN, as the folder NUMBER, and removes the folders of pull requests that
# are not OPEN. The branch has one commit, so what was removed is gone. There is no checkout.
set -euo pipefail

export GIT_DIR=$PWD/pictures.git GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=ptcards GIT_AUTHOR_EMAIL=ptcards@users.noreply.github.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
# The token is in a variable of git, so no list of processes shows it.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$ORIGIN.extraHeader"
GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 -w 0)"
export GIT_CONFIG_VALUE_0

rm -rf "$GIT_DIR"
git init --quiet --bare
ours=$(
    for picture in "$FOLDER"/shown/*.png; do
        if [ -f "$picture" ]; then printf '100644 blob %s\t%s\n' "$(git hash-object -w "$picture")" "${picture##*/}"; fi
    done | git mktree
)
empty=$(git mktree </dev/null)

# Another pull request may publish its pictures at the same moment: the push is refused then, and done again.
for _ in 1 2 3 4 5; do
    git fetch --quiet --no-tags --depth=1 "$ORIGIN" "+refs/heads/$BRANCH:refs/heads/before" 2>/dev/null || git update-ref -d refs/heads/before
    before=$(git rev-parse --quiet --verify refs/heads/before || true)
    all=$(
        {
            if [ -n "$before" ]; then
                git ls-tree "$before" | while IFS=$'\t' read -r about name; do
                    if [ "$name" != "$NUMBER" ] && [[ " $OPEN " = *" $name "* ]]; then printf '%s\t%s\n' "$about" "$name"; fi
                done
            fi
            if [ "$ours" != "$empty" ]; then printf '040000 tree %s\t%s\n' "$ours" "$NUMBER"; fi
        } | git mktree
    )
    if [ -n "$before" ] && [ "$all" = "$(git rev-parse "$before^{tree}")" ]; then exit; fi
    if [ -z "$before" ] && [ "$all" = "$empty" ]; then exit; fi
    commit=$(git commit-tree "$all" -m "Pictures of changed cards")
    if git push --quiet --force-with-lease="refs/heads/$BRANCH:$before" "$ORIGIN" "$commit:refs/heads/$BRANCH"; then exit; fi
done
echo "::notice::the pictures could not be published; grant \`contents: write\`"
