# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Helpers of scripts about several file systems, after lib-flash.sh.

# Modules that the image lacks: the host has put them beside the scripts.  Names, in their order
fs_modules_load() {
	prepare_ext4
	for fs_module in "$@"; do
		[ -d "/sys/module/$fs_module" ] || insmod "/tests/$fs_module.ko" || return
	done
}

# A new file system; nothing is discarded.  $1: kind, $2: device, $3: number that decides where ext4
# puts directories (it is drawn otherwise, so two of them have not their files at the same places)
fs_make() {
	case $1 in
	ext4)
		fs_hash_seed=$(printf '%08d-0000-4000-8000-000000000000' "${3:-1}")
		mkfs.ext4 -q -E "nodiscard,lazy_itable_init=0,lazy_journal_init=0,hash_seed=$fs_hash_seed" "$2"
		;;
	xfs) mkfs.xfs -q -K "$2" ;;
	btrfs) mkfs.btrfs -q -f -K -m single "$2" ;;
	f2fs) mkfs.f2fs -q -f -t 0 "$2" ;;
	esac
}

# Prints what file systems say of a drive that has not done what it was told, if there is something.
fs_complaints() {
	dmesg | grep -iE 'I/O error|corrupt|BTRFS.*(error|critical)|F2FS-fs.*(error|inconsistent)|EXT4-fs.*error|XFS.*(error|shutdown)'
}
