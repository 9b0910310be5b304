# SPDX-License-Identifier: MIT
# holt_winters: R's HoltWinters on the points of a file, fitted and with constants given. As TSV: what, value, unit.
y <- ts(scan(commandArgs(TRUE)[1], quiet = TRUE), frequency = 96)
fit <- HoltWinters(y, seasonal = "mult")
ms <- median(sapply(1:3, function(i) system.time(HoltWinters(y, seasonal = "mult"))[[1]])) * 1000
cat("R HoltWinters, fit", round(ms), sprintf("ms (mean error %.3f)", mean(abs(residuals(fit)))), sep = "\t"); cat("\n")
ms <- median(sapply(1:9, function(i) system.time(HoltWinters(y, alpha = fit$alpha, beta = fit$beta, gamma = fit$gamma, seasonal = "mult"))[[1]])) * 1000
cat("R HoltWinters, constants given", ms, "ms", sep = "\t"); cat("\n")
