#!/bin/sh
# SPDX-License-Identifier: MIT
# The smoothing spline against R's own, for many sizes and parameters; and tables of probability.
. "${0%/*}/lib/tap.sh"
tools=${BUILD:-$t/../build}/t/tools

have Rscript || skip_all "no R: apt install r-base-core"
test -x "$tools/smooth" || skip_all "no $tools/smooth: run by make check"

cat >compare.R <<'END'
tool <- commandArgs(TRUE)[1]
worst <- 0; count <- 0
for (n in c(4, 5, 7, 10, 20, 48, 49, 50, 51, 96, 100, 144, 192, 199, 200, 201, 288, 384, 576, 799, 800, 801, 1500, 3199, 3200, 3300, 5000))
	for (spar in c(-0.5, 0, 0.1, 0.3, 0.5)) {
		s <- n; y <- numeric(n)
		for (i in 1:n) { s <- (s * 16807) %% 2147483647; y[i] <- s / 2147483647 }
		got <- as.numeric(system(paste(tool, spar), input = sprintf("%.17g", y), intern = TRUE))
		off <- max(abs(got - smooth.spline(1:n, y, spar = spar)$y))
		if (off > 1e-12) cat("n", n, "spar", spar, "off", off, "\n")
		worst <- max(worst, off); count <- count + 1
	}
cat("worst", worst, "of", count, "\n")
quit(status = worst > 1e-12)
END
check 'smooth.spline to 1e-12, 135 combinations of size and spar' '
	Rscript compare.R "$tools/smooth" >said 2>&1 || { cat said; false; }
	grep -q "of 135" said'
finish
