/* SPDX-License-Identifier: MIT
 * status_report: --status. */
#ifndef STKCAP_STATUS_REPORT_H
#define STKCAP_STATUS_REPORT_H

#include <stdint.h>

/* Asks a running capture, and prints its answer; format: text (NULL), tsv, ndjson or openmetrics. */
int show_status(const char *socket_path, const char *format, int64_t patience_ns);

#endif
