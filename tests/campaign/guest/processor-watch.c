// SPDX-License-Identifier: GPL-2.0
/*
 * processor-watch.c - what the machine's processor has to do
 *
 *	processor-watch MS
 *
 * Until it is killed it writes a line each so many milliseconds:
 *
 *	NOW_NS RUN_NS
 *
 * time since boot, and the part of it in which tasks ran.  A shell would have to make a process for each
 * line, and that process is enough to make windows be missed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_MS 1000
#define NS_PER_MS 1000000
#define NS_PER_S 1000000000
#define SCHEDSTAT "/proc/schedstat"
/* Of the line of a processor there, after its name. */
#define RUN_FIELD 7
#define BUFFER_BYTES 4096

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static const char *read_again(int fd, char *buffer)
{
	ssize_t bytes = pread(fd, buffer, BUFFER_BYTES - 1, 0);

	if (bytes < 0)
		fail("read");
	buffer[bytes] = '\0';
	return buffer;
}

/* The machine has one processor; NULL if there are fewer fields. */
static const char *run_ns(const char *text)
{
	int field;

	text = strstr(text, "\ncpu0 ");
	for (field = 0; text && field < RUN_FIELD; field++) {
		text = strchr(text, ' ');
		text += text != NULL;
	}
	return text;
}

static void say(int schedstat)
{
	static char text[BUFFER_BYTES];
	const char *run = run_ns(read_again(schedstat, text));
	struct timespec now;

	if (!run) {
		fputs("processor-watch: the kernel doesn't say\n", stderr);
		exit(1);
	}
	clock_gettime(CLOCK_BOOTTIME, &now);
	printf("%lld %.*s\n", (long long)now.tv_sec * NS_PER_S + now.tv_nsec, (int)strcspn(run, " "), run);
}

static void add_ms(struct timespec *at, long ms)
{
	at->tv_nsec += ms * NS_PER_MS;
	at->tv_sec += at->tv_nsec / NS_PER_S;
	at->tv_nsec %= NS_PER_S;
}

int main(int argc, char **argv)
{
	long ms = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	struct timespec at;
	int schedstat;

	if (ms < 1 || ms > MOST_MS) {
		fprintf(stderr, "usage: processor-watch MS (1 to %d)\n", MOST_MS);
		return 1;
	}
	schedstat = open(SCHEDSTAT, O_RDONLY);
	if (schedstat < 0)
		fail(SCHEDSTAT);
	/* lines are never left in half, whenever it is killed */
	setvbuf(stdout, NULL, _IOLBF, BUFFER_BYTES);
	clock_gettime(CLOCK_MONOTONIC, &at);
	for (;;) {
		say(schedstat);
		add_ms(&at, ms);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
}
