# SPDX-License-Identifier: MIT
"""A shop: the till sells, the clerk waits for orders."""
import faulthandler
import threading
import time

door = threading.Event()


def wait_for_orders():
    door.wait()


def ship():
    faulthandler.dump_traceback()


threading.Thread(target=wait_for_orders, name="clerk", daemon=True).start()
time.sleep(0.3)
ship()
