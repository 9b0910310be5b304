/* SPDX-License-Identifier: MIT
 * xml_place: where expat is in a text. Its 2.9 has new names for that, and its header warns of the old ones, which are
 * all that earlier ones have. */
#ifndef BASE_XML_PLACE_H
#define BASE_XML_PLACE_H

#ifdef HAVE_EXPAT

#include <expat.h>
#include <stdint.h>

#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
#define XML_PLACE(what) XML_GetCurrent##what##64
#else
#define XML_PLACE(what) XML_GetCurrent##what
#endif

/* From 1. */
static inline uint64_t
xml_line(XML_Parser parser)
{
	return XML_PLACE(LineNumber)(parser);
}

/* From 0. */
static inline uint64_t
xml_column(XML_Parser parser)
{
	return XML_PLACE(ColumnNumber)(parser);
}

/* From 0; -1: nowhere. */
static inline int64_t
xml_byte(XML_Parser parser)
{
	return XML_PLACE(ByteIndex)(parser);
}

#endif

#endif
