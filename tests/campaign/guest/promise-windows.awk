# SPDX-License-Identifier: GPL-2.0
# Met and counted windows, from fio's log of completions: the same as
# lib/edf/completions.py does, for a guest that has to decide what to try next.
# -v iops= promise, -v window_ms=, -v count= windows

BEGIN { FS = ","; INTERVAL_MS = 100; MS_PER_S = 1000 }

{
	since = $1 - before
	empty = int(since / INTERVAL_MS + 0.5) - 1
	length_ms = empty > 0 ? since - empty * INTERVAL_MS : since
	done = $2 * length_ms / MS_PER_S
	at = $1 - length_ms
	while (at < $1) {
		window = int(at / window_ms)
		end = (window + 1) * window_ms
		if (end > $1)
			end = $1
		amount[window] += done * (end - at) / (length_ms > 1 ? length_ms : 1)
		at = end
	}
	before = $1
}

END {
	for (window = 0; window < count; window++)
		met += amount[window] > iops * window_ms / MS_PER_S - 1
	print met + 0, count
}
