// SPDX-License-Identifier: MIT
// Naps: four threads that compute for a moment and then sleep, over and over: `compute` has all of their processor time, `nap` none.
public class Naps {
	static volatile double sink;

	static void compute() {
		double x = sink;
		for (int i = 1; i < 200000; i++)
			x += Math.sqrt(i) / (x + 1);
		sink = x;
	}

	static void nap() throws InterruptedException {
		Thread.sleep(1);
	}

	public static void main(String[] args) {
		for (int i = 0; i < 4; i++)
			new Thread(() -> {
				try {
					while (true) {
						compute();
						nap();
					}
				} catch (InterruptedException ended) {
					return;
				}
			}, "napper-" + i).start();
		System.out.println("ready");
	}
}
