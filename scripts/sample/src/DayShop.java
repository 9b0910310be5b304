// SPDX-License-Identifier: MIT
// A shop whose load follows the day: visitors by day, reports by night, a clean-up each hour. A day lasts as many seconds as the argument says.
// Much of its code is generated when it runs: lambdas, a proxy, reflection, method handles.
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

public class DayShop {
	interface Catalog { String find(int item) throws Exception; }

	static final ConcurrentHashMap<Integer, String> cache = new ConcurrentHashMap<>();
	static final Semaphore connections = new Semaphore(6);
	static volatile double hour;

	static void pause(int most) throws InterruptedException { Thread.sleep(1 + (int) (Math.random() * most)); }

	static class Store implements Catalog {
		public String find(int item) throws Exception {
			String known = cache.get(item);
			return known != null ? known : load(item);
		}
		String load(int item) throws Exception {
			connections.acquire();
			try {
				query(item);
			} finally {
				connections.release();
			}
			cache.put(item, "item " + item);
			return cache.get(item);
		}
		void query(int item) throws Exception { pause(80); }
	}

	public static class Checkout {
		public void pay(int item) throws Exception { authorise(item); book(item); }
		void authorise(int item) throws Exception { pause(60); }
		synchronized void book(int item) throws Exception { pause(15); }
	}

	static int spin(int n) {
		int sum = 0;
		for (int i = 0; i < n; i++) sum += Integer.toString(i).hashCode();
		return sum;
	}

	static void visit(Catalog catalog, Method pay, MethodHandle price) {
		try {
			int item = (int) (Math.random() * 400);
			Function<Integer, String> page = i -> { try { return catalog.find(i); } catch (Exception e) { throw new IllegalStateException(e); } };
			page.apply(item);
			if (item % 3 == 0) pay.invoke(new Checkout(), item);
			if (item % 5 == 0) { Object unused = price.invoke(20000); }
		} catch (Throwable e) {
			throw new IllegalStateException(e);
		}
	}

	static void report() throws Exception { for (int i = 0; i < 4; i++) { collect(i); write(i); } }
	static void collect(int part) throws Exception { spin(60000); pause(40); }
	static void write(int part) throws Exception { pause(60); }
	static void evict() throws Exception { cache.keySet().removeIf(i -> Math.random() < 0.5); pause(100); }

	public static void main(String[] arguments) throws Throwable {
		double day = Double.parseDouble(arguments[0]) * 1e9;
		long begin = System.nanoTime();
		Store store = new Store();
		Catalog catalog = (Catalog) Proxy.newProxyInstance(DayShop.class.getClassLoader(), new Class<?>[] { Catalog.class }, (self, method, values) -> method.invoke(store, values));
		Method pay = Checkout.class.getMethod("pay", int.class);
		MethodHandle price = MethodHandles.lookup().findStatic(DayShop.class, "spin", MethodType.methodType(int.class, int.class));
		ExecutorService web = Executors.newFixedThreadPool(24, work -> { Thread t = new Thread(work); t.setDaemon(true); t.setName("web-" + t.getId()); return t; });
		ExecutorService batch = Executors.newFixedThreadPool(4, work -> { Thread t = new Thread(work); t.setDaemon(true); t.setName("batch-" + t.getId()); return t; });
		int lastHour = -1;
		for (int i = 0; i < 100; i++) visit(catalog, pay, price);	// until reflection is compiled
		while (true) {
			hour = 24 * (System.nanoTime() - begin) / day % 24;
			double load = hour < 6 || hour > 23 ? 0.05 : hour < 9 ? 0.4 : hour < 12 ? 1 : hour < 14 ? 0.7 : hour < 18 ? 1.1 : 0.5;
			if (Math.random() < load) web.submit(() -> visit(catalog, pay, price));
			if (hour > 1 && hour < 4 && Math.random() < 0.2) batch.submit(() -> { report(); return null; });
			if ((int) hour != lastHour) { lastHour = (int) hour; batch.submit(() -> { evict(); return null; }); }
			Thread.sleep(3);
		}
	}
}
