# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The ELF image inside a bzImage, which boots faster (by PVH).  Needs common.sh.

# Where the boot protocol keeps the position of the compressed kernel.
readonly SETUP_SECTS_OFFSET=497
readonly PAYLOAD_OFFSET_OFFSET=584
readonly PAYLOAD_LENGTH_OFFSET=588
readonly SECTOR_BYTES=512

# An unsigned number of a file.  $1: file, $2: offset, $3: bytes
number_at() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }

# $1: bzImage, $2: ELF image to write
extract_vmlinux() {
	setup=$((($(number_at "$1" $SETUP_SECTS_OFFSET 1) + 1) * SECTOR_BYTES))
	start=$((setup + $(number_at "$1" $PAYLOAD_OFFSET_OFFSET 4)))
	tail -c "+$((start + 1))" "$1" | head -c "$(number_at "$1" $PAYLOAD_LENGTH_OFFSET 4)" >"$2.packed"
	case $(od -An -t x1 -N 4 "$2.packed" | tr -d ' ') in
	fd377a58) unpack='xz -dc' ;;
	28b52ffd) unpack='zstd -qdc' ;;
	02214c18) unpack='lz4 -qdc' ;;
	1f8b*) unpack='gzip -dc' ;;
	*) die "$1: unknown kernel compression" ;;
	esac
	# The size follows the packed data, about which the tools complain.
	$unpack <"$2.packed" >"$2" 2>/dev/null || :
	rm -f "$2.packed"
	[ "$(od -An -t x1 -N 4 "$2" | tr -d ' ')" = 7f454c46 ] || die "$1: no kernel image inside"
}
