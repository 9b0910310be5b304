// SPDX-License-Identifier: MIT
// A small order service to take stacks of: a pool of request threads, one lock that all of them need (Stock), a payment gateway behind a
// socket, a journal on disk, a price calculation that burns CPU, and threads that mostly sleep. It loads itself and ends after N seconds.
import java.io.*;
import java.math.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.ReentrantLock;

public class OrderService {
    record Order(int id, int article, int amount) {}

    /** The hot spot: every order reserves here, and the recount holds the lock for seconds. */
    static class Stock {
        private final Map<Integer, Integer> left = new HashMap<>();

        synchronized boolean reserve(Order order) {
            int have = left.getOrDefault(order.article(), 1000);
            left.put(order.article(), have < order.amount() ? 1000 : have - order.amount());
            return have >= order.amount();
        }

        synchronized void recount() throws Exception {
            for (int article = 0; article < 300; article++) {
                left.merge(article, 0, Integer::sum);
                Thread.sleep(10);
            }
        }
    }

    static class PriceCalculator {
        /** Some milliseconds of honest work. */
        BigDecimal price(Order order) {
            BigDecimal price = BigDecimal.valueOf(order.article() + 1);
            for (int day = 0; day < 9000; day++) price = discount(price, day);
            return price.multiply(BigDecimal.valueOf(order.amount()));
        }

        private BigDecimal discount(BigDecimal price, int day) {
            BigDecimal rate = BigDecimal.valueOf(day % 2 == 0 ? 100_013 : 99_987, 5);
            return price.multiply(rate).setScale(8, RoundingMode.HALF_EVEN);
        }
    }

    static class PaymentGateway implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());

        PaymentGateway() throws IOException {
            start("payment-acceptor", () -> {
                while (true) {
                    Socket socket = server.accept();
                    start("payment-connection", () -> answer(socket));
                }
            });
        }

        private void answer(Socket socket) throws Exception {
            try (socket) {
                int length = socket.getInputStream().read();
                Thread.sleep(20 + length * 3L);
                socket.getOutputStream().write(1);
            }
        }

        boolean charge(Order order) throws IOException {
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                socket.getOutputStream().write(order.amount());
                return socket.getInputStream().read() == 1;
            }
        }

        public void close() throws IOException { server.close(); }
    }

    static class Journal {
        private final ReentrantLock turn = new ReentrantLock();
        private final FileChannel file;

        Journal(Path path) throws IOException {
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        }

        void append(Order order, BigDecimal price) throws IOException {
            turn.lock();
            try {
                file.write(ByteBuffer.wrap((order + " " + price + "\n").getBytes(StandardCharsets.UTF_8)));
                file.force(false);
            } finally {
                turn.unlock();
            }
        }
    }

    interface Work { void run() throws Exception; }

    static Thread start(String name, Work work) {
        Thread thread = new Thread(() -> {
            try { work.run(); } catch (Exception end) { /* the service is closing */ }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private final Stock stock = new Stock();
    private final PriceCalculator prices = new PriceCalculator();
    private final PaymentGateway payments = new PaymentGateway();
    private final Journal journal = new Journal(Files.createTempFile("journal", null));
    private final BlockingQueue<Order> inbox = new LinkedBlockingQueue<>(40);

    OrderService() throws IOException {}

    private void handle(Order order) throws Exception {
        if (!stock.reserve(order)) return;
        BigDecimal price = prices.price(order);
        if (payments.charge(order)) journal.append(order, price);
    }

    private void serve() throws Exception {
        while (true) handle(inbox.take());
    }

    private void customers() throws Exception {
        Random random = new Random(1);
        for (int id = 1; ; id++) {
            inbox.put(new Order(id, random.nextInt(300), 1 + random.nextInt(9)));
            Thread.sleep(random.nextInt(14));
        }
    }

    public static void main(String[] arguments) throws Exception {
        OrderService service = new OrderService();
        for (int i = 1; i <= 8; i++) start("http-worker-" + i, service::serve);
        start("customers", service::customers);
        start("stock-recount", () -> { while (true) { Thread.sleep(7000); service.stock.recount(); } });
        ScheduledExecutorService jobs = Executors.newScheduledThreadPool(2);
        jobs.scheduleAtFixedRate(System::gc, 5, 5, TimeUnit.SECONDS);
        Thread.sleep(1000L * Integer.parseInt(arguments[0]));
        System.exit(0);
    }
}
