/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h - counters of an emulated drive: one row per counter
 */
#ifndef SSDQOS_FLASH_STATS_H
#define SSDQOS_FLASH_STATS_H

#include "../env.h"

/* S(name, help); status, sysfs, the simulator and docs print all of them. */
#define SSDQOS_FLASH_STATS(S)						\
	S(reads, "read requests")					\
	S(writes, "write requests")					\
	S(discards, "discard and write-zeroes requests")		\
	S(flushes, "flush requests")					\
	S(host_read_units, "4 KiB units read by the host")		\
	S(host_write_units, "4 KiB units written by the host")		\
	S(discarded_units, "4 KiB units of discards, whole ones")	\
	S(trimmed_units, "of them, unmapped: what the drive could use")	\
	S(ram_read_units, "units read from the write buffer or never written") \
	S(coalesced_units, "units overwritten in the write buffer")	\
	S(rmw_reads, "flash reads for writes that cover a part of a unit or granule") \
	S(granule_units, "units programmed because a write covers a part of their granule") \
	S(flash_reads, "flash pages read, for any purpose")		\
	S(flash_programs, "flash pages programmed, for any purpose")	\
	S(flash_copybacks, "flash pages copied inside a plane")		\
	S(flash_erases, "blocks erased")				\
	S(erase_suspends, "times that an erase was suspended for host reads") \
	S(program_suspends,						\
	  "times that a program, or a copy inside a plane, was suspended for host reads") \
	S(suspend_reads, "flash reads of the host for which erases and programs were suspended") \
	S(multi_plane_ops, "array operations begun with one in another plane of the chip") \
	S(host_programs, "flash pages programmed from the write buffer") \
	S(padded_units, "units of flash pages programmed without data")	\
	S(gc_blocks, "blocks collected")				\
	S(gc_reads, "flash pages read by garbage collection")		\
	S(gc_programs, "flash pages programmed or copied by garbage collection") \
	S(gc_moved_units, "valid units moved by garbage collection")	\
	S(gc_starts, "times that a plane started to collect")		\
	S(blocking_bursts, "bursts of garbage collection that blocked the drive") \
	S(blocking_ns, "time for which they did, when they have ended")	\
	S(gc_blocked_reads, "read requests of which some part waited for garbage collection") \
	S(queue_blocked_reads, "read requests of which some part waited for its turn") \
	S(buffer_stalls, "writes that waited for room in the write buffer") \
	S(buffer_stall_ns, "time that they waited")			\
	S(space_stalls, "writes that waited for garbage collection to free a block") \
	S(space_stall_ns, "time that they waited")			\
	S(map_lookups, "lookups of a page of the map for the host")	\
	S(map_misses, "lookups that had to wait for flash")		\
	S(map_reads, "pages of the map read from flash")		\
	S(map_write_units, "pages of the map written to flash")		\
	S(map_programs, "flash pages programmed for the map")		\
	S(scrub_blocks, "blocks scrubbed")				\
	S(scrub_moved_units, "valid units moved by read scrubbing")	\
	S(wear_blocks, "blocks emptied by wear levelling")		\
	S(wear_moved_units, "valid units moved by wear levelling")	\
	S(verify_pages, "copied flash pages that were read to verify them") \
	S(verify_blocks, "blocks in which no copied page was left to verify") \
	S(verify_forgotten, "copied flash pages that were not, as their data had gone before") \
	S(abandoned_blocks, "blocks that scrubbing or wear levelling gave up for want of space") \
	S(parity_units, "units of parity entered into the write buffer") \
	S(parity_reads, "flash reads to compute parity")		\
	S(stripes_full, "stripes written out as a whole")		\
	S(stripes_partial, "stripes written out of which a part had changed") \
	S(stripes_from_old, "of them, those whose parity followed from what was replaced") \
	S(stripes_dropped, "stripes of which all was discarded")	\
	S(stripes_shifted, "stripes moved to other planes of their group, as one was worn") \
	S(lift_reads, "flash reads for that of what had not changed")	\
	S(stripe_old_lost, "units replaced that were not kept for the parity to come") \
	S(reconstructed_reads, "flash reads replaced by reads of the rest of the stripe") \
	S(reconstructed_late, "of them, those that waited already when that began") \
	S(waited_reads, "flash reads that waited, as that was sooner than rebuilding") \
	S(blocked_reads, "flash reads that waited for internal work, as they couldn't be rebuilt") \
	S(turns_refused, "times that a plane waited for its turn to empty a block") \
	S(turns_overridden, "times that it didn't, as the host would have had no block") \
	S(share_changes, "times that the share controller changed a share") \
	S(lent_ops, "operations that went over their task's share, as a request waited") \
	S(passed_ops, "operations that went next, as bypass_max others had gone before them")

struct ssdqos_flash_stats {
#define S(name, help) u64 name;
	SSDQOS_FLASH_STATS(S)
#undef S
};

#define S(name, help) + 1
enum { SSDQOS_FLASH_NR_STATS = 0 SSDQOS_FLASH_STATS(S) };
#undef S

extern const char *const ssdqos_flash_stat_names[SSDQOS_FLASH_NR_STATS];

#endif /* SSDQOS_FLASH_STATS_H */
