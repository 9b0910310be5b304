/* SPDX-License-Identifier: MIT
 * packed_packets: the packets of a trace of Perfetto, of which some hold others, compressed. */
#ifndef INGEST_PACKED_PACKETS_H
#define INGEST_PACKED_PACKETS_H

#include "base/array.h"
#include "base/protobuf.h"
#include "ingest/ingest.h"

enum { PACKET_COMPRESSED = 50, PACKET_COMPRESSED_ZSTD = 133 };

struct packets {
	ARRAY(struct stk_text) list;		/* in their order, those that were compressed in place of the one that
						 * held them */
	ARRAY(struct text_buffer) expanded;	/* what list points to, but for the trace itself */
	struct text_buffer room;		/* of the present one */
	size_t bytes, most;			/* of expanded; that may be */
	bool broken;
};

/* trace stays where it is. What is damaged, or expands without end, is told to the collect and left out. */
void packets_find(struct packets *packets, struct stk_text trace, struct collect *collect);
void packets_release(struct packets *packets);

#endif
