# SPDX-License-Identifier: MIT
"""holt_winters: statsmodels on the points of a file, fitted and with constants given. As TSV: what, value, unit."""
import sys, time, warnings
import numpy
from statsmodels.tsa.holtwinters import ExponentialSmoothing

warnings.simplefilter("ignore")
y = numpy.loadtxt(sys.argv[1])
model = lambda: ExponentialSmoothing(y, trend="add", seasonal="mul", seasonal_periods=96, initialization_method="heuristic")
begin = time.process_time()
fit = model().fit()
print(f"statsmodels, fit\t{(time.process_time() - begin) * 1000:.0f}\tms (mean error {numpy.mean(numpy.abs(fit.resid)):.3f})")
begin = time.process_time()
model().fit(smoothing_level=fit.params["smoothing_level"], smoothing_trend=fit.params["smoothing_trend"], smoothing_seasonal=fit.params["smoothing_seasonal"], optimized=False)
print(f"statsmodels, constants given\t{(time.process_time() - begin) * 1000:.0f}\tms")
