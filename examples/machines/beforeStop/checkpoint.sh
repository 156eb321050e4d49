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
main() {
  if [ -n "$UNIT" ]; then
    systemctl cat "$UNIT" >/dev/null || return 1
    pid=$(systemctl show --property=MainPID --value "$UNIT")
    what="no process of $UNIT"
  else
    pid=$(pgrep -o -f -- "^$PROCESS")
    what="no process with a command line that begins with \"$PROCESS\""
  fi
  [ "${pid:-0}" -gt 0 ] || { echo "$what runs: there is nothing to save"; return 0; }
  # The signal ends a process that does not handle it, such as a shell around the job. It is bit 9 of this mask.
  handled=$(sed -n 's/^SigCgt:.*\(...\)$/\1/p' "/proc/$pid/status")
  if [ "$((0x${handled:-0} & 0x200))" -eq 0 ]; then
    echo "process $pid does not handle SIGUSR1, and was not sent it"
    return 1
  fi
  # An older one says nothing of this save.
  rm -f -- "$MARKER" || return 1
  kill -USR1 "$pid" || return 1
  end=$(($(date +%s) + LEFT))
  while [ ! -e "$MARKER" ]; do
    if ! kill -0 "$pid" 2>/dev/null && [ ! -e "$MARKER" ]; then echo "it ended, and did not write $MARKER"; return 1; fi
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
