/* SPDX-License-Identifier: MIT
 * status_socket: a running capture answers on a socket of its user how it is doing. Who connects is sent the text and
 * says nothing: there is nobody to wait for. */
#ifndef CAPTURE_STATUS_SOCKET_H
#define CAPTURE_STATUS_SOCKET_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdint.h>

#define STATUS_BYTES_MOST (1u << 20)

struct status_socket;

/* Replaces a socket that nobody answers on. -1: another capture does, or something else is there. */
int status_socket_open(struct status_socket **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
void status_socket_close(struct status_socket *s);		/* and removes it; NULL is well */
int status_socket_fd(const struct status_socket *s);		/* readable when somebody asks */

/* Sends a text to all who ask; make is called once for each. Does not block: what does not fit into the socket
 * is cut. */
typedef struct stk_text status_make(void *context);
void status_socket_answer(struct status_socket *s, status_make *make, void *context);

/* Asks: *text is allocated, and ends with NUL. -1: nobody answers, or not within the time. */
int status_socket_ask(const char *path, int64_t patience_ns, char **text, size_t *size,
		      struct stk_error *err) STK_MUST_CHECK;

#endif
