/* SPDX-License-Identifier: MIT
 * coverage_export: stkpath coverage -f lcov, cobertura and json: functions, lines and branches, for other tools. */
#ifndef STKPATH_COVERAGE_EXPORT_H
#define STKPATH_COVERAGE_EXPORT_H

#include "covered_functions.h"
#include "report/printer.h"

enum coverage_format { COVERAGE_LCOV, COVERAGE_COBERTURA, COVERAGE_JSON };

/* Writes all functions whose lines are known, by file; what is left out is reported. */
int coverage_export(const struct covered_functions *covered, enum coverage_format format, struct printer *to,
		    struct stk_error *err) STK_MUST_CHECK;

#endif
