# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Shared by the shell scripts of tests/vm: where things are cached, and how a
# Debian package is fetched without touching the machine's own apt state.

# A script elsewhere sets vm_dir before it reads this file.
: "${vm_dir:=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)}"
# shellcheck disable=SC2034 # for the scripts
top_dir=$(CDPATH='' cd -- "$vm_dir/../.." && pwd)
cache_dir=${SSDQOS_CACHE:-${HOME:-/root}/.cache/dm-ssdqos}
mirror=${SSDQOS_MIRROR:-http://deb.debian.org/debian}
security_mirror=${SSDQOS_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Package lists younger than this are not fetched again.
readonly LIST_MAX_AGE_MIN=720
readonly JOBS_DEFAULT=2

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }
jobs_count() { nproc 2>/dev/null || echo "$JOBS_DEFAULT"; }

# One builder at a time for a given cache entry; a second one waits for it.
# $1: name of the lock.  Held until the script ends.
cache_lock() {
	mkdir -p "$cache_dir/lock"
	exec 9>"$cache_dir/lock/$1"
	flock 9
}

# apt state of its own for a Debian release, so that neither the machine's
# sources nor its installed packages take part.  $1: release
apt_setup() {
	apt_state=$cache_dir/apt/$1
	mkdir -p "$apt_state/lists/partial" "$apt_state/archives/partial"
	[ -e "$apt_state/status" ] || : >"$apt_state/status"
	# Put in place at once: another script may be reading the old one.
	cat >"$apt_state/sources.$$" <<-END
		deb [signed-by=$keyring] $mirror $1 main
		deb-src [signed-by=$keyring] $mirror $1 main
		deb [signed-by=$keyring] $mirror $1-backports main
		deb [signed-by=$keyring] $security_mirror $1-security main
	END
	mv "$apt_state/sources.$$" "$apt_state/sources.list"
}

# $1: apt-get or apt-cache; the rest: its arguments
apt_private() {
	apt_tool=$1
	shift
	"$apt_tool" -q \
		-o Dir::State="$apt_state" -o Dir::State::status="$apt_state/status" \
		-o Dir::State::Lists="$apt_state/lists" \
		-o Dir::Cache="$apt_state" -o Dir::Cache::archives="$apt_state/archives" \
		-o Dir::Etc::SourceList="$apt_state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Retries=3 "$@"
}

# Refreshes the lists of the current release; a failure is fatal only when
# there are none yet, so that a filled cache works without a network.
apt_lists() {
	# apt does not wait for another apt that is at the same lists.
	exec 7>"$apt_state/lock"
	flock 7
	apt_lists_locked
	exec 7>&-
}

apt_lists_locked() {
	if [ -n "$(find "$apt_state/stamp" -mmin "-$LIST_MAX_AGE_MIN" 2>/dev/null)" ]; then
		return 0
	fi
	if apt_private apt-get update >"$apt_state/update.log" 2>&1; then
		touch "$apt_state/stamp"
	elif [ -e "$apt_state/stamp" ]; then
		say "package lists of ${apt_state##*/} could not be refreshed, using the old ones"
	else
		cat "$apt_state/update.log" >&2
		die "no package lists for ${apt_state##*/}"
	fi
}

# Prints the newest version of a package.  $1: package
apt_version() {
	apt_private apt-cache policy "$1" | sed -n 's/^  Candidate: //p'
}

# Unpacks a package.  $1: package, $2: version, $3: directory
apt_unpack() {
	# Below what it is for: who begins that again removes it.
	unpack_tmp=$3/unpack
	rm -rf "$unpack_tmp"
	mkdir -p "$unpack_tmp"
	(cd "$unpack_tmp" && apt_private apt-get download "$1=$2" >download.log 2>&1) || {
		cat "$unpack_tmp/download.log" >&2
		die "cannot download $1 $2"
	}
	dpkg -x "$unpack_tmp"/*.deb "$3"
	rm -rf "$unpack_tmp"
}
