#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# fake_openj9.py [MODE]: a process that waits to be asked as an OpenJ9 VM does, and answers; prints its PID when it does. The dump it gives is in the file that DUMP names.
#   right, cut (closes in the middle), error, deaf (never connects), wrongkey
import ctypes, os, shutil, socket, sys, time

sys.dont_write_bytecode = True
from library import map_library

map_library("libj9vm29.so")
mode = sys.argv[1] if len(sys.argv) > 1 else "right"
top = "/tmp/.com_ibm_tools_attach"
own = "%s/%d" % (top, os.getpid())
os.makedirs(own, exist_ok=True)
os.chmod(top, 0o1777)
for name in ("_attachlock", "_notifier"):
    open("%s/%s" % (top, name), "a").close()
open(own + "/attachNotificationSync", "a").close()
open(own + "/attachInfo", "w").write("processId=%d\n" % os.getpid())
libc = ctypes.CDLL(None, use_errno=True)


class Operation(ctypes.Structure):
    _fields_ = [("number", ctypes.c_ushort), ("value", ctypes.c_short), ("flags", ctypes.c_short)]


libc.ftok.restype = ctypes.c_int
semaphore = libc.semget(libc.ftok((top + "/_notifier").encode(), 0xa1), 1, 0o1666)
print(os.getpid(), flush=True)


def escaped(text):
    return "".join({"\n": "\\n", "\t": "\\t", "\\": "\\\\", ":": "\\:", "=": "\\="}.get(c, c if ord(c) < 128 else "\\u%04x" % ord(c)) for c in text)


def command(s):
    data = b""
    while not data.endswith(b"\0"):
        more = s.recv(4096)
        if not more:
            break
        data += more
    return data[:-1].decode()


try:
    while True:
        libc.semop(semaphore, ctypes.byref(Operation(0, -1, 0)), 1)
        if mode == "deaf" or not os.path.exists(own + "/replyInfo"):
            time.sleep(0.01)
            continue
        key, port = open(own + "/replyInfo").read().split()
        s = socket.create_connection(("127.0.0.1", int(port)))
        s.sendall(("ATTACH_CONNECTED %s now\0" % (key if mode != "wrongkey" else "0" * 16)).encode())
        asked = command(s)
        dump = open(os.environ["DUMP"]).read()
        if mode == "error" or not asked.startswith("ATTACH_DIAGNOSTICS:Thread.print"):
            s.sendall(b"ATTACH_ERR AttachOperationFailedException not now\0")
        elif mode == "cut":
            s.sendall(("openj9_diagnostics.result_type=string\nopenj9_diagnostics.string_result=" + escaped(dump)).encode()[:600])
            s.close()
            continue
        else:
            s.sendall(("#comment\nopenj9_diagnostics.string_result=" + escaped(dump) + "\nopenj9_diagnostics.result_type=string\n\0").encode())
        command(s)
        s.close()
finally:
    shutil.rmtree(own, ignore_errors=True)
