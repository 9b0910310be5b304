// Season LOW HIGH: a program whose number of threads in `busy` has a season: every other ten seconds of the clock it is LOW or HIGH on average, of 40 that
// come and go at random and stay for a tenth of a second. It prints "ready" when all run.
import java.util.concurrent.ThreadLocalRandom;

public class Season {
	static final int THREADS = 40;
	static final double STAY = 0.1;

	static void pause(double seconds) {
		try {
			Thread.sleep((long)(seconds * 1e3), (int)(seconds * 1e9 % 1e6));
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	static void busy() {
		pause(-STAY * Math.log(1 - ThreadLocalRandom.current().nextDouble()));
	}

	// A thread begins at a rate at which, in the mean, so many are busy.
	static void come(double low, double high) {
		while (true) {
			double mean = System.currentTimeMillis() / 10000 % 2 == 0 ? low : high;
			double rate = mean / (THREADS - mean) / STAY, step = 0.02;

			if (ThreadLocalRandom.current().nextDouble() < 1 - Math.exp(-rate * step))
				busy();
			pause(step);
		}
	}

	public static void main(String[] args) {
		double low = Double.parseDouble(args[0]), high = Double.parseDouble(args[1]);

		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> come(low, high), "worker-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		System.out.println("ready");
		pause(600);
	}
}
