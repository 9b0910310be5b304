// SPDX-License-Identifier: MIT
// Duty spin | sleep | nap | collect: one thread that always computes; one that always sleeps; one that wakes 500 times a second, for a moment; one that has the VM collect garbage for some 30 % of the time.
public class Duty {
	static volatile double sink;
	static Object[] kept = new Object[300000];

	static void spin(long until) {
		double x = sink;
		while (System.nanoTime() < until)
			for (int i = 1; i < 1000; i++)
				x += Math.sqrt(i) / (x + 1);
		sink = x;
	}

	public static void main(String[] args) throws Exception {
		System.out.println("ready");
		if (args[0].equals("sleep"))
			Thread.sleep(1000000);
		while (args[0].equals("nap"))
			java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
		if (args[0].equals("collect"))
			for (int i = 0; i < kept.length; i++)
				kept[i] = new Object[] { new int[2], i };
		while (true) {
			long began = System.nanoTime();
			if (args[0].equals("collect"))
				System.gc();
			spin(System.nanoTime() + (args[0].equals("collect") ? (System.nanoTime() - began) * 7 / 3 : 100000000));
		}
	}
}
