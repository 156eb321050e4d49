#!/bin/sh
# Has a job save before its machine is stopped: sends SIGUSR1, and waits for the file that the job writes when it has saved.
# It waits until five seconds before FLEETKEEPER_UNTIL, and no longer: the machine is stopped then.
. ./common.sh
setting CHECKPOINT_MARKER
case ${CHECKPOINT_UNIT:+unit}${CHECKPOINT_PROCESS:+process} in
unit | process) ;;
*) finish 2 "machines.env must have one of CHECKPOINT_UNIT and CHECKPOINT_PROCESS" ;;
esac

# seconds_of TIME: an ISO time in UTC as seconds since 1970. The date of a BSD reads none.
seconds_of() {
  printf '%s\n' "$1" | awk -F '[-T:.Z]' '{
    y = $1; m = $2 + 0; if (m < 3) { y--; m += 12 }
    days = 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + $3 - 719469
    printf "%d\n", ((days * 24 + $4) * 60 + $5) * 60 + $6
  }'
}
left=$(($(seconds_of "$FLEETKEEPER_UNTIL") - $(date +%s) - 5))
[ "$left" -gt 0 ] || finish 1 "no time is left until $FLEETKEEPER_UNTIL"

{
  value UNIT "${CHECKPOINT_UNIT:-}"
  value PROCESS "${CHECKPOINT_PROCESS:-}"
  value MARKER "$CHECKPOINT_MARKER"
  value LEFT "$left"
  cat <<'MACHINE'
runs() {
  if [ -n "$UNIT" ]; then systemctl is-active --quiet "$UNIT"; else kill -0 "$pid" 2>/dev/null; fi
}
main() {
  if [ -n "$UNIT" ]; then
    systemctl cat "$UNIT" >/dev/null || return 1
    runs || { echo "$UNIT does not run: there is nothing to save"; return 0; }
  else
    pid=$(pgrep -o -f -- "$PROCESS")
    [ -n "$pid" ] || { echo "no process has \"$PROCESS\" in its command line: there is nothing to save"; return 0; }
  fi
  # An older one says nothing of this save.
  rm -f -- "$MARKER" || return 1
  if [ -n "$UNIT" ]; then systemctl kill --kill-who=main --signal=USR1 "$UNIT"; else kill -USR1 "$pid"; fi || return 1
  end=$(($(date +%s) + LEFT))
  while [ ! -e "$MARKER" ]; do
    if ! runs && [ ! -e "$MARKER" ]; then echo "it ended, and did not write $MARKER"; return 1; fi
    [ "$(date +%s)" -lt "$end" ] || { echo "it did not write $MARKER within $LEFT s"; return 1; }
    sleep 1
  done
  echo "saved: $MARKER is written"
}
main </dev/null
exit $?
MACHINE
} | on_machine root
code=$?

case $code in
0) finish 0 "done before: ${FLEETKEEPER_WHY:-a stop}" ;;
255) finish 1 "failed: the machine was not reached by SSH" ;;
*) finish 1 "failed: the machine's script ended with $code" ;;
esac
