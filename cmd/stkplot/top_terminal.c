/* SPDX-License-Identifier: MIT
 * top_terminal: signal handlers only call what may be called in them: tcsetattr, write, read, raise. */
#include "top_terminal.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[?7l"	/* another screen, no cursor, no wrapping */
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"
#define REST_OF_KEY_MS 50	/* between the bytes of one */

static struct termios usual, raw;
static volatile sig_atomic_t is_open, resized;
static int keys_fd = -1, error_fd = -1, kept_fd = -1;	/* stderr as it was, and where it goes meanwhile */

static void
put_bytes(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t wrote = write(fd, bytes, size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return;
		bytes += wrote;
		size -= (size_t)wrote;
	}
}

static void
enter_screen(void)
{
	(void)tcsetattr(keys_fd, TCSADRAIN, &raw);
	put_bytes(STDOUT_FILENO, ENTER, sizeof ENTER - 1);
}

static void
leave_screen(void)
{
	put_bytes(STDOUT_FILENO, LEAVE, sizeof LEAVE - 1);
	(void)tcsetattr(keys_fd, TCSADRAIN, &usual);
}

/* What was printed to standard error. */
static void
show_errors(void)
{
	char bytes[512];
	ssize_t size;

	if (kept_fd < 0)
		return;
	(void)lseek(kept_fd, 0, SEEK_SET);
	while ((size = read(kept_fd, bytes, sizeof bytes)) > 0)
		put_bytes(error_fd, bytes, (size_t)size);
}

static void
end_by_signal(int number)
{
	int saved = errno;

	if (is_open) {
		is_open = 0;
		leave_screen();
		show_errors();
	}
	signal(number, SIG_DFL);
	(void)raise(number);
	errno = saved;
}

static void
stop_by_signal(int number)
{
	int saved = errno;

	(void)number;
	if (is_open)
		leave_screen();
	(void)kill(getpid(), SIGSTOP);
	if (is_open)
		enter_screen();
	resized = 1;
	errno = saved;
}

static void
note_resize(int number)
{
	(void)number;
	resized = 1;
}

static void
catch_signal(int number, void (*handler)(int))
{
	struct sigaction old, new = { .sa_handler = handler };

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		(void)sigaction(number, &new, NULL);
}

static void
catch_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		catch_signal(ends[i], end_by_signal);
	catch_signal(SIGTSTP, stop_by_signal);
	catch_signal(SIGWINCH, note_resize);
}

/* Messages would be written across the screen. */
static void
keep_errors(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	kept_fd = memfd_create("stkplot-top", MFD_CLOEXEC);
	error_fd = kept_fd < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (error_fd < 0 || dup2(kept_fd, STDERR_FILENO) < 0) {
		if (kept_fd >= 0)
			close(kept_fd);
		kept_fd = -1;
	}
}

int
top_terminal_open(struct stk_error *err)
{
	if (!isatty(STDOUT_FILENO))
		return stk_fail(err, STK_EUSAGE, "top needs a terminal: standard output is not one");
	keys_fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (keys_fd < 0 || tcgetattr(keys_fd, &usual) < 0)
		return stk_fail(err, STK_EUSAGE, "top needs a terminal for its keys: %s", strerror(errno));
	raw = usual;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	keep_errors();
	is_open = 1;
	catch_signals();
	enter_screen();
	return 0;
}

void
top_terminal_close(void)
{
	if (!is_open)
		return;
	is_open = 0;
	leave_screen();
	if (kept_fd < 0)
		return;
	(void)fflush(stderr);
	show_errors();
	(void)dup2(error_fd, STDERR_FILENO);
}

void
top_terminal_size(unsigned *columns, unsigned *lines)
{
	struct winsize size;

	*columns = 80;
	*lines = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		return;
	*columns = size.ws_col;
	*lines = size.ws_row;
}

/* --- keys --- */

/* The next byte of the keyboard; -1: none in time; -2: it is gone. */
static int
next_byte(int patience_ms)
{
	struct pollfd wait = { .fd = keys_fd, .events = POLLIN };
	unsigned char byte;
	int got = poll(&wait, 1, patience_ms);

	if (got == 0 || (got < 0 && errno == EINTR))
		return -1;
	if (got < 0)
		return -2;
	got = (int)read(keys_fd, &byte, 1);
	return got == 1 ? byte : got < 0 && (errno == EINTR || errno == EAGAIN) ? -1 : -2;
}

/* What follows an ESC: "[A" or "OA", "[5~". */
static int
rest_of_escape(void)
{
	static const struct { char end; int number, key; } keys[] = {
		{ 'A', 0, TOP_KEY_UP }, { 'B', 0, TOP_KEY_DOWN }, { 'C', 0, TOP_KEY_RIGHT }, { 'D', 0, TOP_KEY_LEFT },
		{ 'H', 0, TOP_KEY_HOME }, { 'F', 0, TOP_KEY_END }, { '~', 1, TOP_KEY_HOME }, { '~', 4, TOP_KEY_END },
		{ '~', 5, TOP_KEY_PAGE_UP }, { '~', 6, TOP_KEY_PAGE_DOWN }
	};
	int byte = next_byte(REST_OF_KEY_MS), number = 0;

	if (byte != '[' && byte != 'O')
		return TOP_KEY_ESCAPE;
	while ((byte = next_byte(REST_OF_KEY_MS)) >= 0 && ((byte >= '0' && byte <= '9') || byte == ';'))
		number = byte == ';' ? number : (number * 10 + (byte - '0')) % 1000;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].end == byte && (byte != '~' || keys[i].number == number))
			return keys[i].key;
	return TOP_KEY_NONE;
}

int
top_terminal_key(int patience_ms)
{
	int byte = resized ? -1 : next_byte(patience_ms);

	if (resized) {
		resized = 0;
		return TOP_KEY_RESIZE;
	}
	if (byte == -2)
		return TOP_KEY_GONE;
	if (byte < 0)
		return TOP_KEY_NONE;
	return byte == 27 ? rest_of_escape() : byte == 8 ? TOP_KEY_BACKSPACE : byte == '\r' ? '\n' : byte;
}

void
top_terminal_show(const struct text_buffer *screen)
{
	put_bytes(STDOUT_FILENO, screen->at, screen->count);
}
