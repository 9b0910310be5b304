// SPDX-License-Identifier: MIT
// Load [THREADS [DUTY [SECONDS]]]: a program with threads that compute, wait for locks, sleep, allocate and idle; it prints "ready" when all run, and a line
// "ops N" a second: what it got done. DUTY is the share of time in which those that compute do so.
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class Load {
	static final LongAdder ops = new LongAdder();
	static final Object[] locks = { new Object(), new Object(), new Object() };
	static volatile double sink;
	static volatile Object kept;

	static void compute(int depth, double duty) {
		if (depth > 0) {
			compute(depth - 1, duty);
			return;
		}
		while (true) {
			long until = System.nanoTime() + (long)(10e6 * duty);
			double x = sink;
			do {
				for (int i = 1; i < 1000; i++)
					x += Math.sqrt(i) / (x + 1);
				ops.increment();
			} while (System.nanoTime() < until);
			sink = x;
			if (duty < 1)
				pause((long)(10 * (1 - duty)));
		}
	}

	static void contend(int n) {
		while (true)
			synchronized (locks[n % locks.length]) {
				pause(3);
			}
	}

	static void allocate(double duty) {
		while (true) {
			byte[][] some = new byte[64][];
			for (int i = 0; i < some.length; i++)
				some[i] = new byte[1024];
			kept = some;
			ops.increment();
			if (duty < 1)
				pause(5);
		}
	}

	static void pause(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static void start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		int threads = args.length > 0 ? Integer.parseInt(args[0]) : 48;
		double duty = args.length > 1 ? Double.parseDouble(args[1]) : 0.05;
		int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 600;

		for (int i = 0; i < threads; i++) {
			int n = i;
			switch (i % 12) {
			case 0: start("compute-" + i, () -> compute(20, duty)); break;
			case 1: case 2: case 3: start("contend-" + i, () -> contend(n)); break;
			case 4: start("allocate-" + i, () -> allocate(duty)); break;
			case 5: case 6: case 7: case 8: start("sleep-" + i, () -> { while (true) pause(50); }); break;
			default: start("idle-" + i, () -> pause(1000000000)); break;
			}
		}
		System.out.println("ready");
		long before = 0;
		for (int s = 0; s < seconds; s++) {
			pause(1000);
			long now = ops.sum();
			System.out.println("ops " + (now - before));
			before = now;
		}
	}
}
