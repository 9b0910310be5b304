// SPDX-License-Identifier: MIT
// Shares SECONDS: one thread that gives known shares of its time to different sorts of code, and prints at the end what they really were; another that sleeps.
// Then it stays until it is killed: threads that end run, and would have ticks, the one that slept too.
// Methods must not be inlined into `work` (see the flags in t/3335), so that each share can be told.
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.zip.Deflater;

public class Shares {
	static final ThreadMXBean times = ManagementFactory.getThreadMXBean();
	static final byte[] text = new byte[20000], packed = new byte[30000];
	static final Deflater deflater = new Deflater(6);
	static final Integer[] numbers = new Integer[2000];
	static volatile int sink;

	interface Step { int take(int x); }

	static final Step[] steps = { x -> x * 3 + 1, x -> x ^ 0x55, x -> Integer.rotateLeft(x, 5) };

	static int loop(int x) {
		for (int i = 0; i < 100000; i++)
			x = x * 31 + (x >>> 7);
		return x;
	}

	static int deep(int depth, int x) {
		return depth == 0 ? loop(x) : deep(depth - 1, x + depth) ^ depth;
	}

	static int nativeCode(int x) {
		text[x & 16383]++;
		deflater.reset();
		deflater.setInput(text);
		deflater.finish();
		return x + deflater.deflate(packed);
	}

	static int interpreted(int x) {
		for (int i = 0; i < 10000; i++)
			x = x * 17 + (x >>> 5);
		return x;
	}

	static int lambdas(int x) {
		for (int i = 0; i < 30000; i++)
			x = steps[i % 3].take(x);
		return x;
	}

	static int sorting(int x) {
		for (int i = 0; i < numbers.length; i++)
			numbers[i] = x = x * 1103515245 + 12345;
		Arrays.sort(numbers, (a, b) -> Integer.compare(b, a));
		return numbers[0];
	}

	static final String[] names = { "deep", "nativeCode", "interpreted", "lambdas", "sorting" };
	static final int[] wanted = { 30, 25, 20, 15, 10 };
	static final long[] used = new long[names.length];

	static int work(int which, int x) {
		switch (which) {
		case 0: return deep(40, x);
		case 1: return nativeCode(x);
		case 2: return interpreted(x);
		case 3: return lambdas(x);
		default: return sorting(x);
		}
	}

	static void share(long until) {
		long all = 1;
		int x = 1;
		while (System.nanoTime() < until) {
			int most = 0;
			for (int i = 1; i < names.length; i++)
				if (wanted[i] * all / 100 - used[i] > wanted[most] * all / 100 - used[most])
					most = i;
			long before = times.getCurrentThreadCpuTime();
			for (int i = 0; i < 4; i++)
				x = work(most, x);
			long took = times.getCurrentThreadCpuTime() - before;
			used[most] += took;
			all += took;
		}
		sink = x;
	}

	static void sleep() {
		try {
			Thread.sleep(1000000);
		} catch (InterruptedException ended) {
			return;
		}
	}

	public static void main(String[] args) throws InterruptedException {
		Thread sleeper = new Thread(Shares::sleep, "sleeper");
		sleeper.setDaemon(true);
		sleeper.start();
		share(System.nanoTime() + 500000000L);	// until it is compiled
		Arrays.fill(used, 0);
		System.out.println("ready");
		share(System.nanoTime() + Long.parseLong(args[0]) * 1000000000L);
		long all = Arrays.stream(used).sum();
		for (int i = 0; i < names.length; i++)
			System.out.println(names[i] + " " + 100.0 * used[i] / all);
		System.out.println("done");
		Thread.sleep(1000000);
	}
}
