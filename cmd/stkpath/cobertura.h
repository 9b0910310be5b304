/* SPDX-License-Identifier: MIT
 * cobertura: lines and branches as XML, as Cobertura writes it and as other tools read it. */
#ifndef STKPATH_COBERTURA_H
#define STKPATH_COBERTURA_H

#include "exported_functions.h"
#include "report/printer.h"

int cobertura_write(struct printer *to, const struct exported_functions *functions,
		    struct stk_error *err) STK_MUST_CHECK;

#endif
