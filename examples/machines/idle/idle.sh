#!/bin/sh
# Does nobody use a machine? A GPU in use, a person who is logged in, or a file that changed lately: busy.
# What cannot be asked is unknown.
. ./common.sh

{
  value BELOW "${IDLE_BELOW:-5}"
  value SECONDS_LONG "${IDLE_SECONDS:-15}"
  value FILE "${IDLE_FILE:-}"
  value MINUTES "${IDLE_FILE_MINUTES:-30}"
  cat <<'MACHINE'
BUSY=10 UNKNOWN=11
# A session with a terminal is a person's. One without is a script's such as this one, or an editor's: those last longer.
sessions() {
  all=$(ps -e -o etimes= -o args=) || return 1
  printf '%s\n' "$all" | awk '
    { seconds = $1; $1 = "" }
    /^ sshd(-session)?: [^ ]+@(pts|tty)/ { print substr($0, 2) }
    /^ sshd(-session)?: [^ ]+@(notty|internal-sftp)/ && seconds > 120 { print substr($0, 2) " for " seconds " s" }'
}
# The most that a GPU was used within the time, in percent.
most_use() {
  most=0 left=$SECONDS_LONG
  while :; do
    used=$(timeout 20 nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits 2>&1) || { printf '%s\n' "$used"; return 1; }
    for one in $used; do
      case $one in *[!0-9]*) printf '%s\n' "$used"; return 1 ;; esac
      [ "$one" -le "$most" ] || most=$one
    done
    if [ "$most" -ge "$BELOW" ] || [ "$left" -le 1 ]; then break; fi
    left=$((left - 1))
    sleep 1
  done
  echo "$most"
}
main() {
  people=$(sessions) || { echo "ps failed"; return "$UNKNOWN"; }
  [ -z "$people" ] || { printf '%s\n' "$people"; return "$BUSY"; }
  if [ -n "$FILE" ] && [ -e "$FILE" ]; then
    changed=$(find "$FILE" -prune -mmin "-$MINUTES") || return "$UNKNOWN"
    [ -z "$changed" ] || { echo "$FILE changed within $MINUTES minutes"; return "$BUSY"; }
  fi
  most=$(most_use) || { printf '%s\n' "$most"; return "$UNKNOWN"; }
  [ "$most" -lt "$BELOW" ] || { echo "a GPU is used by $most %"; return "$BUSY"; }
  echo "no session, GPUs used by $most % at most"
}
main </dev/null
exit $?
MACHINE
} | on_machine user
answered $? idle busy
