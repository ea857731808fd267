/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ssdqos_platform.h - what core/ gets when it is compiled in user space
 *
 * Works without libc headers (-ffreestanding -nostdinc), so that core/ cannot
 * reach for anything that the kernel would not give it.  See core/env.h for
 * the contract; dm-ssdqos/platform holds the twin.
 */
#ifndef SSDQOS_PLATFORM_H
#define SSDQOS_PLATFORM_H

typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef unsigned long long u64;
typedef __INT32_TYPE__ s32;
typedef long long s64;

#ifndef __cplusplus
#ifndef bool
#define bool _Bool
#define true 1
#define false 0
#endif
#endif

#ifndef NULL
#define NULL ((void *)0)
#endif

/* The numbers that Linux gives these names on every architecture we build. */
#ifndef EINVAL
#define ENOENT 2
#define E2BIG 7
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define ERANGE 34
#define EOVERFLOW 75
#define EBADMSG 74
#endif

#define BITS_PER_LONG (__SIZEOF_LONG__ * 8)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN(x, a) (((x) + (a) - 1) & ~((a) - 1))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
/* The asm is an effect: gcc leaves out calls of functions that only prefetch. */
#define prefetchw(x)				\
	do {					\
		__builtin_prefetch(x, 1);	\
		__asm__ volatile("");		\
	} while (0)
#define fallthrough __attribute__((__fallthrough__))
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - __builtin_offsetof(type, member)))
#ifndef static_assert
#define static_assert _Static_assert
#endif

#define min_t(type, a, b) \
	({ type min_a_ = (a); type min_b_ = (b); min_a_ < min_b_ ? min_a_ : min_b_; })
#define max_t(type, a, b) \
	({ type max_a_ = (a); type max_b_ = (b); max_a_ > max_b_ ? max_a_ : max_b_; })
#define min(a, b) min_t(__typeof__((a) + (b)), a, b)
#define max(a, b) max_t(__typeof__((a) + (b)), a, b)
#define swap(a, b) \
	do { __typeof__(a) swap_ = (a); (a) = (b); (b) = swap_; } while (0)

__SIZE_TYPE__ strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, __SIZE_TYPE__ n);
void *memcpy(void *dst, const void *src, __SIZE_TYPE__ n);
void *memset(void *dst, int c, __SIZE_TYPE__ n);
int memcmp(const void *a, const void *b, __SIZE_TYPE__ n);

/* Same result as the kernel's: the number of characters really written. */
int ssdqos_env_scnprintf(char *buf, __SIZE_TYPE__ size, const char *fmt, ...)
	__attribute__((__format__(__printf__, 3, 4)));
#define scnprintf ssdqos_env_scnprintf

/* Out of line, so that a raw 64-bit division in core/ still shows up as an
 * undefined __udivdi3 in the -m32 gate build.
 */
u64 ssdqos_env_div64(u64 dividend, u64 divisor);

#if __SIZEOF_POINTER__ == 8
static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}
#else
#define div64_u64 ssdqos_env_div64
#endif

static inline u32 __ffs(unsigned long word)
{
	return (u32)__builtin_ctzl(word);
}

/* By halves: on 32 bits the compiler would call a library. */
static inline u32 __ffs64(u64 word)
{
	return (u32)word ? (u32)__builtin_ctz((u32)word) :
			   32 + (u32)__builtin_ctz((u32)(word >> 32));
}

static inline u32 hweight64(u64 word)
{
	u32 nr = 0;

	for (; word; word &= word - 1)
		nr++;
	return nr;
}

/* Position of the highest set bit, counted from 1; 0 for 0. */
static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

/* A broken promise: tests make it fatal, the simulator reports it. */
void ssdqos_env_warn(const char *file, int line, const char *what);
#define WARN_ON_ONCE(cond)						\
	({								\
		static bool warned_;					\
		bool cond_ = !!(cond);					\
		if (unlikely(cond_ && !warned_)) {			\
			warned_ = true;					\
			ssdqos_env_warn(__FILE__, __LINE__, #cond);	\
		}							\
		unlikely(cond_);					\
	})

void *ssdqos_env_alloc(u64 bytes);
void ssdqos_env_free(void *mem);

#include "ssdqos_tree.h"

#endif /* SSDQOS_PLATFORM_H */
