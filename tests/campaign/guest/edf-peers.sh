# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# The same clients under each contender on the same emulated drive in one boot.
# All run on a loop device with direct I/O over the drive, as iocost and
# schedulers need requests; every contender begins with the drive as new.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_virtual_clock
require_target ssdqos

IO_MAX_PERMILLE=1050
BFQ_MOST=1000
COEFFICIENTS=$OUT/coefficients

# ---- the drive and the layer above ----

fresh() {
	dm_remove drive && drive_create && loop_attach "$DRIVE" || return
	device_number=$(cat "/sys/block/${LOOP#/dev/}/dev")
}

loop_device() { echo "$LOOP"; }

# ---- iocost: coefficients as tools/cgroup/iocost_coef_gen.py finds them ----

# Prints a field of fio's terse output.  $1: field, $2: seconds, the rest: options
coefficient() {
	coefficient_field=$1
	coefficient_s=$2
	shift 2
	fio --name=coefficient --filename="$LOOP" --direct=1 --ioengine=io_uring --thread --size=100% \
		--norandommap --randseed="$SEED" --time_based --runtime="$coefficient_s" "$@" \
		--output-format=terse --terse-version=3 | grep '^3;' | cut -d ';' -f "$coefficient_field"
}
TERSE_READ_KB_S=7
TERSE_READ_IOPS=8
TERSE_WRITE_KB_S=48
TERSE_WRITE_IOPS=49

coefficients() {
	fresh || return
	rbps=$(coefficient "$TERSE_READ_KB_S" "$COEF_READ_S" --rw=read --bs=128M --iodepth=1)
	rseqiops=$(coefficient "$TERSE_READ_IOPS" "$COEF_READ_S" --rw=read --bs=4k --iodepth=64)
	rrandiops=$(coefficient "$TERSE_READ_IOPS" "$COEF_READ_S" --rw=randread --bs=4k --iodepth=64)
	wbps=$(coefficient "$TERSE_WRITE_KB_S" "$COEF_WRITE_S" --rw=write --bs=128M --iodepth=1)
	wseqiops=$(coefficient "$TERSE_WRITE_IOPS" "$COEF_WRITE_S" --rw=write --bs=4k --iodepth=64)
	wrandiops=$(coefficient "$TERSE_WRITE_IOPS" "$COEF_WRITE_S" --rw=randwrite --bs=4k --iodepth=64)
	MODEL="rbps=$((rbps * 1024)) rseqiops=$rseqiops rrandiops=$rrandiops \
wbps=$((wbps * 1024)) wseqiops=$wseqiops wrandiops=$wrandiops"
	echo "$MODEL" >"$COEFFICIENTS"
	loop_detach
}

# ---- contenders ----

# Shares are in proportion to the device time that ssdqos reserves, so what it
# says about the promises comes first.
reservations() {
	fresh && streams_create "$LOOP" && promise_most || return
	echo "$SCALE" >"$OUT"/scale
	streams_status . || return
	cp "$OUT"/status "$OUT"/reservations
	streams_remove && loop_detach
}

# Prints a client's part of device time in per mille, at least 1.  $1: client
share_permille() {
	awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) if (split($i, w, "=") == 2 && w[1] == "util_ppm")
		printf "%d\n", w[2] < 1000 ? 1 : w[2] / 1000 }' "$OUT"/reservations
}

none_setup() { :; }

io_max_setup() { for_clients io_max_one; }
io_max_one() {
	io_max_rate=$(($6 * SCALE * IO_MAX_PERMILLE / PERMILLE / PERMILLE))
	case $3 in
	read) echo "$device_number riops=$io_max_rate" ;;
	*) echo "$device_number wiops=$io_max_rate" ;;
	esac >"$GROUPS_DIR/$1/io.max"
}

# Values of the example in Documentation/admin-guide/cgroup-v2.rst.
iocost_setup() {
	echo "$device_number ctrl=user model=linear $MODEL" >"$GROUPS_DIR"/io.cost.model &&
		echo "$device_number enable=1 ctrl=user rpct=95.00 rlat=75000 wpct=95.00 wlat=150000 min=50.00 max=150.00" >"$GROUPS_DIR"/io.cost.qos &&
		for_clients iocost_one
}
iocost_one() { echo "$device_number $(share_permille "$1")" >"$GROUPS_DIR/$1/io.weight"; }

# For shares rather than short times of a desktop, as bfq-iosched.rst says.
bfq_setup() {
	echo bfq >"/sys/block/${LOOP#/dev/}/queue/scheduler" &&
		echo 0 >"/sys/block/${LOOP#/dev/}/queue/iosched/low_latency" &&
		for_clients bfq_one
}
bfq_one() {
	bfq_weight=$(share_permille "$1")
	[ "$bfq_weight" -le "$BFQ_MOST" ] || bfq_weight=$BFQ_MOST
	echo "$bfq_weight" >"$GROUPS_DIR/$1/io.bfq.weight"
}

ssdqos_setup() { streams_create "$LOOP" && promise_all "$SCALE"; }

# $1: name, $2: function that prints a client's device
contender() {
	fresh && for_clients group_of && "$1_setup" || return
	clients_run "$1" "$2" || return
	[ "$1" != ssdqos ] || { streams_status ssdqos && streams_remove; } || return
	loop_detach && for_clients group_gone
}
group_of() { group_create "$1"; }
group_gone() { rmdir "$GROUPS_DIR/$1"; }

modprobe -q bfq
groups_start
check "coefficients of iocost" coefficients
check "promises" reservations
for name in none io_max iocost bfq; do check "$name" contender $name loop_device; done
check "ssdqos" contender ssdqos stream_device
ktap_done
