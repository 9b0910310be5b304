// SPDX-License-Identifier: MIT
/** A shop: the till sells, the clerk waits for orders, the stock is locked by one and wanted by the other. */
public class Shop {
	static final Object STOCK = new Object();
	static byte[][] kept = new byte[64][];
	static volatile long sold;

	static void pay(int order) { for (int i = 0; i < 200000; i++) sold += order ^ i; }
	static void sell(int order) { kept[order % 64] = new byte[100000]; pay(order); }
	static void waitForOrders() throws Exception { synchronized (Shop.class) { Shop.class.wait(); } }
	static void takeStock() { synchronized (STOCK) { sold++; } }

	public static void main(String[] arguments) throws Exception {
		int orders = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
		if (orders == 0) {
			new Thread(() -> { try { waitForOrders(); } catch (Exception e) { } }, "clerk").start();
			synchronized (STOCK) {
				new Thread(Shop::takeStock, "stock").start();
				Thread.sleep(3600000);
			}
		}
		for (int order = 0; order < orders; order++)
			sell(order);
	}
}
