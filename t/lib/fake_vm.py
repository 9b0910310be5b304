#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# fake_vm.py MODE [N]: a process that answers at a HotSpot VM's attach socket, rightly or wrongly; prints its PID when it listens. The dump that it gives is
# read from the file that DUMP names.
#   right        as JDK 17 does            version2  as JDK 25: speaks version 2, and checks what it is asked
#   cut N        closes after N bytes      drip      a byte at a time             never     accepts and says nothing
#   huge         a gigabyte                garbage   bytes that mean nothing      empty     closes at once
#   status N     refuses with that status  late N    answers after N seconds      noend     a dump, and the connection stays open
import os, socket, sys, time

sys.dont_write_bytecode = True
from library import map_library

map_library("libjvm.so")
mode, number = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
dump = open(os.environ["DUMP"], "rb").read() if "DUMP" in os.environ else b""
path = "/tmp/.java_pid%d" % os.getpid()
if os.path.exists(path):		# of a process before us with our number
    os.unlink(path)
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen(5)
print(os.getpid(), flush=True)


def request(client):
	"""The command and its arguments; [] when it is not as it should be."""
	data = b""
	while True:
		parts = data.split(b"\0")
		if parts[0] == b"1" and len(parts) >= 6:
			return parts[1:5]
		if parts[0] == b"2" and len(parts) >= 3 and len(data) >= 3 + len(parts[1]) + int(parts[1]):
			return parts[2:-1]
		more = client.recv(4096)
		if not more:
			return []
		data += more


def answer(client, asked):
	if asked[:1] == [b"getversion"]:
		client.sendall(b"0\n2 streaming" if mode == "version2" else b"-1\nOperation getversion not recognized!")
	elif mode == "version2" and asked[0] != b"threaddump streaming=0":
		client.sendall(b"-1\nasked wrongly")
	elif mode == "cut":
		client.sendall((b"0\n" + dump)[:number])
	elif mode == "drip":
		for i in range(len(dump) + 2):
			client.sendall((b"0\n" + dump)[i:i + 1])
	elif mode == "never":
		time.sleep(1000)
	elif mode == "huge":
		client.sendall(b"0\n")
		for i in range(1024):
			client.sendall(b'"x" #1\n\tat a.B.c(D.java:1)\n\n' * 36000)
	elif mode == "garbage":
		client.sendall(bytes((i * 167 + i // 3) % 256 for i in range(100000)))
	elif mode == "status":
		client.sendall(b"%d\nno reason is good enough" % number)
	elif mode == "late":
		time.sleep(number)
		client.sendall(b"0\n" + dump)
	elif mode == "noend":
		client.sendall(b"0\n" + dump)
		time.sleep(1000)
	elif mode != "empty":
		client.sendall(b"0\n" + dump)


try:
	while True:
		client, _ = server.accept()
		try:
			answer(client, request(client))
		except (BrokenPipeError, ConnectionResetError):
			pass
		client.close()
finally:
	os.unlink(path)
