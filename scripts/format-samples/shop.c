/* SPDX-License-Identifier: MIT
 * A shop: a till sells until it is stopped, a clerk waits for orders. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

volatile unsigned long sold;
void *kept[64];

__attribute__((noinline)) void
pay(int order)
{
	for (int i = 0; i < 2000; i++)
		sold += (unsigned long)(order ^ i);
}

__attribute__((noinline)) void
ship(int order)
{
	kept[order % 64] = malloc(4096);
	pay(order);
}

__attribute__((noinline)) void
wait_for_orders(void)
{
	pause();
}

void *
clerk(void *unused)
{
	(void)unused;
	wait_for_orders();
	return NULL;
}

int
main(int argc, char **argv)
{
	int orders = argc > 1 ? atoi(argv[1]) : 1000;
	pthread_t thread;

	if (orders == 0) {
		pthread_create(&thread, NULL, clerk, NULL);
		pthread_setname_np(thread, "clerk");
		wait_for_orders();
	}
	for (int order = 0; order < orders; order++)
		ship(order);
	return 0;
}
