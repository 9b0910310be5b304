#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# hostile.py FILE USER LIBRARY: what a local user may do to a capture. Becomes USER (a number), has a file called LIBRARY mapped (- for none), runs FILE, which is Python, and
# lives until it is killed. Beside os it may use:
#   pid, attach     its number; the folder of OpenJ9's VMs
#   vm_folder()     makes its folder there, as such a VM does      catch_quit()   expects SIGQUIT
#   listen(path)    a socket there; returns it                     accepts(s)     whether somebody connects within ten seconds
#   touch(path)     makes a file                                   flip(a, b)     for ever: exchanges the two
#   alone_as_root() has a user and mount namespace of its own      mount(kind, at), bind(from, at)   there
#   ready()         prints its number: the setting is complete; flip does it, too
import ctypes, encodings.idna, os, select, signal, socket, sys, time
from os import chdir, chmod, kill, listdir, makedirs, mkdir, rename, symlink, unlink

sys.dont_write_bytecode = True
from library import map_library

pid = os.getpid()
attach = "/tmp/.com_ibm_tools_attach"
libc = ctypes.CDLL(None)


def ready():
	print(pid, flush=True)


def touch(path):
	os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))


def vm_folder():
	own = "%s/%d" % (attach, pid)
	os.makedirs(own)
	os.chmod(attach, 0o1777)
	for path in (attach + "/_attachlock", attach + "/_notifier", own + "/attachNotificationSync", own + "/attachInfo"):
		touch(path)
	libc.semget(libc.ftok((attach + "/_notifier").encode(), 0xa1), 1, 0o1666)
	return own


def catch_quit():
	signal.signal(signal.SIGQUIT, lambda *_: None)


def listen(path):
	server = socket.socket(socket.AF_UNIX)
	server.bind(path)
	server.listen(5)
	return server


def accepts(server):
	return select.select([server], [], [], 10)[0] != []


def flip(a, b):
	exchange = 2
	ready()
	while True:
		libc.renameat2(-100, a.encode(), -100, b.encode(), exchange)
		time.sleep(.0001)


def alone_as_root():
	if libc.unshare(0x10020000) != 0:
		raise OSError("unshare")
	for name, text in (("setgroups", "deny"), ("uid_map", "0 %d 1" % user), ("gid_map", "0 %d 1" % user)):
		with open("/proc/self/" + name, "w") as file:
			file.write(text)


def mount(kind, at):
	if libc.mount(b"none", at.encode(), kind.encode(), 0, None) != 0:
		raise OSError("mount")


def bind(source, at):
	if libc.mount(source.encode(), at.encode(), None, 4096, None) != 0:
		raise OSError("bind")


program = open(sys.argv[1]).read()
user = int(sys.argv[2])
if user != 0:
	os.setgroups([])
	os.setgid(user)
	os.setuid(user)
	libc.prctl(4, 1)		# its files in /proc are its own
if sys.argv[3] != "-":
	map_library(sys.argv[3])
exec(program)
while True:
	signal.pause()
