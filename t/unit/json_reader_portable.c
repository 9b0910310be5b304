/* SPDX-License-Identifier: MIT
 * json_reader_portable: the same tests of what is built where there is no SSE2. */
#define JSON_READER_PORTABLE
#include "base/json_reader.c"

#include "json_reader.c"
