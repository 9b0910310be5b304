# SPDX-License-Identifier: MIT
# Keeps ten parts of Python's library at work for the seconds of the first argument, and says so when it begins.
import asyncio
import collections
import csv
import decimal
import email
import io
import json
import logging
import re
import sys
import time


def orders():
    return [{"customer": f"customer{i * 7919 % 200}", "lines": ["one", "two"], "total": i * 1.5} for i in range(200)]


def primes(below):
    return sum(all(n % d for d in range(2, int(n ** 0.5) + 1)) for n in range(2, below))


def table(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, ["customer", "lines", "total"])
    writer.writeheader()
    writer.writerows(rows)
    return list(csv.DictReader(io.StringIO(text.getvalue())))


async def hand(numbers):
    queue = asyncio.Queue(2)

    async def send():
        for i in range(numbers):
            await queue.put(i)

    sender = asyncio.create_task(send())
    total = sum([await queue.get() for _ in range(numbers)])
    await sender
    return total


def work(log):
    text = json.dumps(orders(), indent=1)
    read = sorted(json.loads(text), key=lambda order: order["customer"])
    collections.Counter(re.findall(r"[a-z0-9]+", text))
    table(read)
    email.message_from_string("Subject: order\nTo: shop@example.org\n\n" + text)
    log.info("%d orders, %s in all", len(read), sum(decimal.Decimal(order["total"]) for order in read))
    primes(2000)
    asyncio.run(hand(200))


log = logging.getLogger("mix")
log.setLevel(logging.INFO)
log.addHandler(logging.StreamHandler(io.StringIO()))
print("working", flush=True)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    work(log)
