#!/bin/sh
# SPDX-License-Identifier: MIT
# The test of Debian's package expects what the filters answer: it runs where the package is installed, which is seldom.
. "${0%/*}/lib/tap.sh"

check 'debian/tests/sample, but for what needs an installed package' '
	sed "/stkpath --version/,\$d" "$t/../debian/tests/sample" >sample
	test "$(grep -c "^stk" sample)" -gt 5
	AUTOPKGTEST_TMP=$PWD SAMPLE=$t/../scripts/sample/order-service.jstack.txt.gz sh sample
'
finish
