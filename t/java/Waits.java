/* SPDX-License-Identifier: MIT
 * Threads that wait in known ways: asleep all the time, three quarters of it, and for a lock that another one holds while
 * it sleeps. */
public class Waits {
	static final Object lock = new Object();
	static double sum;

	static void burn(long ms)
	{
		long end = System.nanoTime() + ms * 1000000;

		while (System.nanoTime() < end)
			for (int i = 0; i < 1000; i++)
				sum += Math.sqrt(i);
	}

	static void nap(long ms)
	{
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static void hold()
	{
		synchronized (lock) {
			nap(40);
		}
		nap(5);
	}

	static void want()
	{
		synchronized (lock) {
			sum++;
		}
		nap(5);
	}

	public static void main(String[] arguments)
	{
		new Thread(() -> { while (true) nap(50); }, "sleeper").start();
		new Thread(() -> { while (true) { burn(10); nap(30); } }, "quarter").start();
		new Thread(() -> { while (true) hold(); }, "holder").start();
		new Thread(() -> { while (true) want(); }, "wanter").start();
		System.out.println("ready");
	}
}
