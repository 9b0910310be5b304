// SPDX-License-Identifier: MIT
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** Computes and waits by turns, some 0.2 to 1.2 ms each, and says afterwards from when to when it computed, in ns since 1970. */
public class Pulse {
	private static final long TAKEN_AWAY_NS = 20_000;	// between two looks at the clock: somebody else had the processor

	private static long now() {
		Instant now = Instant.now();
		return now.getEpochSecond() * 1_000_000_000L + now.getNano();
	}

	public static void main(String[] args) {
		int most = 1 << 20, count = 0;
		long[] from = new long[most], to = new long[most];
		java.util.Random random = new java.util.Random(7);
		long end = now() + Long.parseLong(args[0]) * 1_000_000_000L;

		System.out.println("ready");
		while (now() < end && count < most) {
			long begun = now(), last = begun, until = begun + 200_000 + random.nextInt(1_000_000);
			while (last < until && count < most) {
				long at = now();
				if (at - last > TAKEN_AWAY_NS) {
					from[count] = begun;
					to[count++] = last;
					begun = at;
				}
				last = at;
			}
			if (count < most) {
				from[count] = begun;
				to[count++] = last;
			}
			LockSupport.parkNanos(200_000 + random.nextInt(1_000_000));
		}
		for (int i = 0; i < count; i++)
			System.out.println(from[i] + " " + to[i]);
	}
}
