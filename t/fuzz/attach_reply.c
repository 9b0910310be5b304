/* SPDX-License-Identifier: MIT
 * fuzz/attach_reply: any bytes as what a VM answers, by each protocol: the first byte says which. */
#include "capture/attach.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct attach_protocol *protocol;
	struct attach_reply reply = { 0 };
	struct stk_error err = { 0 };

	if (size < 1)
		return 0;
	protocol = bytes[0] % 2 == 0 ? &hotspot_protocol : &openj9_protocol;
	reply.size = size - 1;
	reply.room = size + 64;		/* there is always more room than there are bytes */
	reply.text = malloc(reply.room);
	if (reply.text == NULL)
		return 0;
	memcpy(reply.text, bytes + 1, size - 1);
	reply.text[reply.size] = '\0';
	(void)protocol->is_whole(&reply);
	if (protocol->read(NULL, -1, &reply, &err) == ATTACH_ANSWERED)
		(void)protocol->is_whole_dump(&reply);
	if (reply.size >= reply.room || reply.text[reply.size] != '\0')
		abort();
	attach_reply_release(&reply);
	return 0;
}
