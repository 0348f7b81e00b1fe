#!/bin/sh
# A worker that does the least a worker can do: one line changed, every step ticked, a report.
#   worker.sh plan|execute KEY FILE [SECONDS]
# Its todo file is named by ORCH_TODO; without one (the hand-written script) it writes no protocol at all.
set -eu
turn=$1 key=$2 file=$3 pause=${4:-0}
if [ "$turn" = plan ]; then
    [ -n "${ORCH_TODO:-}" ] || exit 0
    cat >"$ORCH_TODO" <<END
# $key — Change one line

## Goal
One line of \`$file\` is changed.

## TODO items
- [ ] 1. Change the first line of \`$file\` (A1)
- [ ] 2. Run \`true\`
END
    exit 0
fi
[ "$pause" = 0 ] || sleep "$pause"
echo "changed by $key" >"$file"
[ -n "${ORCH_TODO:-}" ] || exit 0
cat >"$ORCH_TODO" <<END
# $key — Change one line

## Goal
One line of \`$file\` is changed.

## TODO items
- [x] 1. Change the first line of \`$file\` (A1)
- [x] 2. Run \`true\`

## Report
- **Status:** done
- **Files:** \`$file\`
- **Deviations:** none
- **Gotchas:** none
END
