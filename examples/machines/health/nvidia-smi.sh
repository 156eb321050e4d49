#!/bin/sh
# Is a machine's hardware well? A fatal XID in the kernel's log, a GPU that fell off the bus, or fewer GPUs than GPUS (or none): sick.
# What cannot be asked is unknown: no SSH, no nvidia-smi, a log that may not be read, no end within 20 s.
. ./common.sh

# Those for which NVIDIA's catalogue of XIDs has a GPU reset, a restart, or a workflow that ends in one, and which gpud, too,
# calls critical. See README.md. Empty: the log is not read.
FATAL_XIDS=${FATAL_XIDS-46 48 62 64 79 95 110 119 120 140 143}

{
  value FATAL_XIDS "$FATAL_XIDS"
  value GPUS "${GPUS:-1}"
  cat <<'MACHINE'
SICK=10 UNKNOWN=11
kernel_log() { dmesg 2>/dev/null || sudo -n dmesg 2>/dev/null; }
# The driver may say that a GPU is gone without the line that has the number.
fatal_lines() {
  awk -v fatal="$FATAL_XIDS" '
    BEGIN { n = split(fatal, numbers, " "); for (i = 1; i <= n; i++) is_fatal[numbers[i]] = 1 }
    /NVRM: Xid \(/ { number = $0; sub(/.*NVRM: Xid \([^)]*\): */, "", number); if ((number + 0) in is_fatal) print }
    /NVRM: .*fallen off the bus/ && !/NVRM: Xid \(/ && (79 in is_fatal) { print }'
}
main() {
  unread=
  if [ -n "$FATAL_XIDS" ]; then
    if log=$(kernel_log); then
      lines=$(printf '%s\n' "$log" | fatal_lines | tail -n 3)
      [ -z "$lines" ] || { printf '%s\n' "$lines"; return "$SICK"; }
    else
      unread=yes
    fi
  fi
  said=$(timeout 20 nvidia-smi --query-gpu=index,name,pci.bus_id --format=csv,noheader 2>&1)
  code=$?
  case $code:$said in
  15:* | *'GPU is lost'* | *'Unable to determine the device handle'*) printf '%s\n' "$said"; return "$SICK" ;;
  0:*) have=$(printf '%s\n' "$said" | grep -c ',') ;;
  6:*'No devices were found'*) have=0 ;;
  124:*) echo "nvidia-smi did not end within 20 s"; return "$UNKNOWN" ;;
  *) printf '%s\n' "$said"; echo "nvidia-smi ended with $code"; return "$UNKNOWN" ;;
  esac
  if [ "$have" -lt "$GPUS" ]; then echo "$have of $GPUS GPUs are there"; return "$SICK"; fi
  [ -z "$unread" ] || { echo "the kernel's log may not be read: set FATAL_XIDS= to do without"; return "$UNKNOWN"; }
  echo "$have GPUs are there"
}
main </dev/null
exit $?
MACHINE
} | on_machine user
answered $? healthy sick
