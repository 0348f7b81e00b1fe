#!/bin/sh
# A wave as somebody would script it: a worktree a task, plan, execute, diff, commit, merge, remove.
#   by_hand.sh REPOSITORY FOLDER TASKS [SECONDS [AT_ONCE [FIRST]]]
# No check, no gate, no test, no state, no way to go on after a crash. Runs the tasks one after another, or
# AT_ONCE at a time, beginning with task FIRST; worktrees are added and merged one by one, because git's own locks don't stand more.
set -eu
repository=$1 folder=$2 tasks=$3 pause=${4:-0} at_once=${5:-1} next=${6:-1}
here=$(cd "$(dirname "$0")" && pwd)

prepare() {
    git -C "$repository" worktree add -q -b "hand/$1" "$folder/$1" main
}
work() {
    cd "$folder/$1"
    file="src/part$(($1 / 40))/file$1.txt"
    sh "$here/worker.sh" plan "1.1.$1" "$file"
    sh "$here/worker.sh" execute "1.1.$1" "$file" "$pause"
    git diff --stat HEAD >/dev/null
    git add -A
    git commit -q -m "Change file $1"
    cd "$here"
}
land() {
    git -C "$repository" merge -q -m "Merge file $1" "hand/$1"
    git -C "$repository" worktree remove "$folder/$1"
}

tasks=$((next + tasks - 1))
while [ "$next" -le "$tasks" ]; do
    last=$((next + at_once - 1))
    [ "$last" -le "$tasks" ] || last=$tasks
    task=$next
    while [ "$task" -le "$last" ]; do
        prepare "$task"
        work "$task" &
        task=$((task + 1))
    done
    wait
    task=$next
    while [ "$task" -le "$last" ]; do
        land "$task"
        task=$((task + 1))
    done
    next=$((last + 1))
done
