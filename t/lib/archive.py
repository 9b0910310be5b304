#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An archive of dumps and profiles of many kinds, whose threads and samples are known.

archive.py make FOLDER FILES SEED   makes the files, some within others, and FOLDER.truth: FILE KIND THREAD STACK WEIGHT, a line each
archive.py pairs FOLDER SEED        the same: any two texts after each other with nothing but an empty line between
archive.py compare FOLDER < NDJSON  compares with what stkcat printed of the samples; prints what differs, status 1
archive.py kinds                    their names"""
import bz2
import collections
import gzip
import io
import json
import lzma
import os
import random
import sys
import tarfile
import zipfile
from xml.sax.saxutils import quoteattr

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import otlp
import pprof
import sjk
import wrap_log

NS = 10 ** 9
START = 1767225600


class Thread:
    def __init__(self, name, number, frames, weight=1):
        self.name, self.number, self.frames, self.weight = name, number, frames, weight     # frames: root first

    def leaf_first(self):
        return reversed(self.frames)


def java(r, n):
    return "shop.Part%d.step%d" % (r.randrange(9), n)


def threads(r, frame, least=1):
    made = []
    for n in range(r.randrange(least, 6)):
        made.append(Thread("work %c-%d" % (97 + n, n), n + 1, [frame(r, d) for d in range(r.randrange(1, 9))],
                           r.randrange(1, 2000)))
    return made


def slashed(function):
    return function.replace(".", "/", 1).replace("/", ".", 0)


def file_of(function):
    return function.split(".")[1]


# --- Java. Each takes a random generator and threads, and returns the text

def hotspot(r, of, header, tail=(), frame="\tat %s(%s.java:7)", blank=True):
    lines = ["2026-01-0%d 0%d:00:00" % (r.randrange(1, 9), r.randrange(9)),
             "Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):", ""]
    for t in of:
        lines += [header % (t.name, t.number, t.number), "   java.lang.Thread.State: RUNNABLE"]
        lines += [frame % (f, file_of(f)) for f in t.leaf_first()]
        lines += list(tail) + ([""] if blank else [])
    return lines


def jstack(r, of):
    return hotspot(r, of, '"%s" #%d prio=5 os_prio=0 cpu=1.50ms elapsed=2.50s tid=0x00007f0000000001 nid=0x%x runnable  [0x0000000000000001]')


def jstack8(r, of):
    return hotspot(r, of, '"%s" #%d daemon prio=5 os_prio=0 tid=0x00007f0000000001 nid=0x%x runnable [0x0000000000000001]')


def jstack_l(r, of):
    return hotspot(r, of, '"%s" #%d prio=5 os_prio=0 cpu=1.50ms elapsed=2.50s tid=0x00007f0000000001 nid=0x%x runnable  [0x0000000000000001]',
                   ["", "   Locked ownable synchronizers:", "\t- None"]) + ["JNI global refs: 15, weak refs: 0", ""]


def hpux(r, of):
    lines = ["Full thread dump:"]
    for t in of:
        lines.append('"%s" prio=9 tid=0x0102 nid=%d lwp_id=5113 waiting on condition [0a0b..0a0c]' % (t.name, t.number))
        lines += ["       at %s(%s.java:7)" % (f, file_of(f)) for f in t.leaf_first()]
    return lines


def thread_info(r, of):
    lines = []
    for t in of:
        lines.append('"%s" Id=%d RUNNABLE' % (t.name, t.number))
        lines += ["\tat app//%s(%s.java:7)" % (f, file_of(f)) for f in t.leaf_first()] + [""]
    return lines


def weblogic(r, of):
    lines = []
    for n, t in enumerate(of):
        lines.append('"%s" %s' % (t.name, ("RUNNABLE", "waiting for lock x.Y@1f WAITING", "RUNNABLE native")[n % 3]))
        lines += ["\t%s(%s.java:7)" % (f, file_of(f)) for f in t.leaf_first()] + [""]
    return lines


def visualvm(r, of):
    return hotspot(r, of, '"%s" - Thread t@%d%.0d', ["", "   Locked ownable synchronizers:", "\t- None"])


def jrockit(r, of):
    lines = ["", "===== FULL THREAD DUMP ===============", "Thu Mar  5 09:01:53 2026", "Oracle JRockit(R) R28.2.5", ""]
    for t in of:
        lines.append('"%s" id=%d idx=0x4 tid=%d prio=5 alive, in native' % (t.name, t.number, t.number))
        lines += ["    at %s(I)V(%s.java:7)[optimized]" % ("/".join(f.split(".")[:2]) + "." + f.split(".")[2], file_of(f))
                  for f in t.leaf_first()] + ["    -- end of trace", ""]
    return lines + ["===== END OF THREAD DUMP ===============", ""]


def coroutines(r, of):
    lines = ["Coroutines dump 2026/01/01 00:00:00", ""]
    for t in of:
        lines.append('Coroutine "%s":StandaloneCoroutine{Active}@%x, state: SUSPENDED' % (t.name, t.number))
        lines += ["\tat %s(%s.kt:7)" % (f, file_of(f)) for f in t.leaf_first()]
        lines += r.choice([[], ["\t(Coroutine creation stacktrace)", "\tat shop.Main.main(Main.kt:3)"]]) + [""]
    return lines


def coroutines_tree(r, of):
    """Of IntelliJ: each coroutine may have others within it, and be several equal ones."""
    lines = ["---------- Coroutine dump %s----------" % r.choice(["", "(stripped) "]), "", "- BlockingCoroutine{Active} [no parent and no name]"]
    depth, times = 0, [1]
    for t in of:
        depth, count = r.randrange(1, depth + 2), r.choice([1, 1, 2, 3])
        times = times[:depth] + [times[depth - 1] * count]
        t.weight = times[depth]
        lines.append('%s-%s "%s":StandaloneCoroutine{Active}, state: SUSPENDED [Dispatchers.Default]' % ("\t" * depth, "" if count == 1 else "[x%d of]" % count, t.name))
        lines += ["%sat %s(%s.kt:7)" % ("\t" * (depth + 1), f, file_of(f)) for f in t.leaf_first()]
    return lines + [""]


def forced(r, of):
    lines = ["Attaching to process ID 4711, please wait...", "Deadlock Detection:", "", "No deadlocks found.", ""]
    for t in of:
        t.name = ""
        lines.append("Thread %d: (state = IN_NATIVE)" % (t.number + 4000))
        lines += [" - %s(int) @bci=59, line=155 (Interpreted frame)" % f for f in t.leaf_first()] + ["", ""]
    return lines


def dump_to_file(r, of):
    lines = ["77", "2026-01-02T03:04:05.678Z", "25.0.3+9-LTS", ""]
    for t in of:
        lines.append('#%d "%s" RUNNABLE 2026-01-02T03:04:05.989258423Z' % (t.number, t.name))
        lines += ["    at %s(%s.java:7)" % (f, file_of(f)) for f in t.leaf_first()] + [""]
    return lines


def dump_to_json(r, of):
    threads = [{"tid": str(t.number), "time": "2026-01-02T03:04:05.9Z", "name": t.name, "state": "RUNNABLE",
                "stack": ["%s(%s.java:7)" % (f, file_of(f)) for f in t.leaf_first()]} for t in of]
    return {"threadDump": {"processId": "7", "time": "2026-01-02T03:04:05Z", "runtimeVersion": "25",
                           "threadContainers": [{"container": "<root>", "parent": None, "owner": None, "threads": threads,
                                                 "threadCount": str(len(of))}]}}


def actuator(r, of):
    return {"threads": [{"threadName": t.name, "threadId": t.number, "lockOwnerId": -1, "threadState": "RUNNABLE", "priority": 5,
                         "daemon": False, "lockedMonitors": [], "lockedSynchronizers": [],
                         "stackTrace": [{"className": f.rsplit(".", 1)[0], "methodName": f.rsplit(".", 1)[1],
                                         "fileName": file_of(f) + ".java", "lineNumber": 7} for f in t.leaf_first()]} for t in of]}


def javacore(r, of):
    rule = "NULL           ------------------------------------------------------------------------"
    lines = [rule, "0SECTION       TITLE subcomponent dump routine", "NULL           ===============================",
             "1TIDATETIMEUTC Date: 2026/11/20 at 21:14:44:250 (UTC)", rule, "0SECTION       THREADS subcomponent dump routine",
             "NULL           =================================", "NULL", "1XMTHDINFO     Thread Details", "NULL           "]
    for t in of:
        lines += ['3XMTHREADINFO      "%s" J9VMThread:0x00000000000A2A00, omrthread_t:0x00007FF4F0007288, java/lang/Thread:0x0000000087F40C70, state:R, prio=5' % t.name,
                  "3XMJAVALTHREAD            (java/lang/Thread getId:0x%X, isDaemon:false)" % t.number,
                  "3XMTHREADINFO1            (native thread ID:0x%X, native priority:0x5, native policy:UNKNOWN, vmstate:R, vm thread flags:0x1)" % t.number,
                  "3XMTHREADINFO3           Java callstack:"]
        lines += ["4XESTACKTRACE                at %s(%s.java:7)" % ("/".join(f.split(".")[:2]) + "." + f.split(".")[2], file_of(f))
                  for f in t.leaf_first()] + ["NULL           "]
    return lines + [rule, "0SECTION       Javadump End section", "NULL           ---------------------- END OF DUMP -------------------------------------"]


# --- processes

def native(r, n):
    return "ns::part%d::step%d" % (r.randrange(9), n)


def plain(r, n):
    return "part%d_step%d" % (r.randrange(9), n)


def gdb(r, of):
    lines = []
    for t in of:
        lines.append('Thread %d (Thread 0x7f0%d (LWP %d) "%s"):' % (t.number, t.number, t.number, t.name))
        lines += ["#%-2d 0x00007f0%d in %s (a=1) at a.cc:%d" % (n, n, f, n + 1) for n, f in enumerate(t.leaf_first())] + [""]
    return lines


def gdb_full(r, of):
    lines = []
    for line in gdb(r, of):
        lines.append(line)
        if line.startswith("#"):
            lines += r.choice([["No locals."], ["        op = 393", "        s = {a = 1,", "          b = 2}"]])
    return lines


def lldb(r, of):
    lines = ["(lldb) bt all"]
    for t in of:
        lines.append("%s thread #%d, name = '%s', stop reason = signal SIGSTOP" % ("*" if t is of[0] else " ", t.number, t.name))
        lines += ["%s frame #%d: 0x00007fd6a0af1df2 a.out`%s(n=1) at a.cc:%d:5" % ("  *" if n == 0 and t is of[0] else "   ", n, f, n + 1)
                  for n, f in enumerate(t.leaf_first())]
    return lines


def eu_stack(r, of, place=False):
    lines = ["PID 1 - process"]
    for t in of:
        lines.append('TID %d "%s":' % (t.number, t.name))
        for n, f in enumerate(t.leaf_first()):
            lines.append("#%-2d 0x00007f9c02cd0aec %s - /opt/a.so" % (n, f))
            lines += ["    /src/a.cc:%d:7" % (n + 1)] if place else []
    return lines


def eu_stack_source(r, of):
    return eu_stack(r, of, True)


def goroutines(r, of):
    lines = []
    for t in of:
        t.name = "goroutine"
        lines.append("goroutine %d [%s]:" % (t.number, r.choice(["running", "select", "chan receive, 3 minutes"])))
        for f in t.leaf_first():
            lines += ["main.%s(0xc000012345, {0x1, 0x2})" % f, "\t/src/app/main.go:12 +0x1d"]
        t.frames = ["main." + f for f in t.frames]
        lines.append("")
    return lines


def goroutine_counts(r, of):
    lines = ["goroutine profile: total %d" % sum(t.weight for t in of)]
    for t in of:
        t.name = "goroutine"
        lines.append("%d @%s" % (t.weight, " 0x43a2b6" * len(t.frames)))
        lines += ["#\t0x43a2b5\t%s+0x35\t\t/src/main.go:12" % f for f in t.leaf_first()] + [""]
    return lines


def py_spy(r, of):
    lines = ["Process 1: python3 work.py", "Python v3.11.2 (/usr/bin/python3.11)", ""]
    for t in of:
        lines.append('Thread %d (active): "%s"' % (t.number, t.name))
        lines += ["    %s (work.py:%d)" % (f, n + 1) for n, f in enumerate(t.leaf_first())]
    return lines


def faulthandler(r, of):
    lines = []
    for t in of:
        t.name = ""
        lines.append("Thread 0x%016x (most recent call first):" % (t.number + 0x7f3a2b7fe700))
        lines += ['  File "work.py", line %d in %s' % (n + 1, f) for n, f in enumerate(t.leaf_first())] + [""]
    return lines


def dotnet(r, of):
    lines = ["Process 99: dotnet web.dll"]
    for t in of:
        t.name = ""
        lines.append("Thread (0x%X):" % t.number)
        lines += ["  web!Shop.%s(int32)" % f for f in t.leaf_first()] + [""]
        t.frames = ["web!Shop.%s(int32)" % f for f in t.frames]
    return lines


# --- counted and timed samples

def folded(r, of):
    lines = []
    for t in of:
        t.name = ""
        lines.append("%s %d" % (";".join(t.frames), t.weight))
    return lines


def folded_arrows(r, of):
    arrow = r.choice(["->", " -> "])
    return "".join(line.replace(";", arrow) + "\n" for line in folded(r, of)).encode()


def folded_first(r, of):
    """As uniq -c counts lines."""
    return "".join("%7d %s\n" % (t.weight, ";".join(t.frames)) for t in of if folded(r, [t])).encode()


def folded_dumps(r, of):
    return ["@%d" % (START + r.randrange(1000))] + folded(r, of)


def austin(r, of):
    lines = ["# austin: 3.6.0", "# mode: wall", ""]
    for t in of:
        t.name = "0:%d" % t.number
        lines.append("P7;%s %d" % (";".join(["T" + t.name] + ["/srv/a.py:%s:3" % f for f in t.frames]), t.weight))
    return lines + ["# duration: 1350"]


def bpftrace(r, of):
    lines = ["Attaching 2 probes...", ""]
    for t in of:
        t.name = "app"
        lines += ["@[", *("    %s+12" % f for f in t.leaf_first()), ", app, 4711]: %d" % t.weight]
    return lines


def dtrace(r, of):
    lines = ["CPU     ID                    FUNCTION:NAME", "  0  64091                        :tick-60s ", "", ""]
    for t in of:
        t.name = ""
        lines += ["              app`%s+0x5d" % f for f in t.leaf_first()] + ["             %8d" % t.weight, ""]
    return lines


def systemtap(r, of):
    lines = []
    for t in of:
        t.name = ""
        lines += [" 0x7f00aa12 : %s+0x10/0x60 [/usr/lib/a.so]" % f for f in t.leaf_first()] + ["\t%d" % t.weight]
    return lines


def perf(r, of, symbol="%s"):
    lines = []
    for n, t in enumerate(of):
        lines.append("%s  %d/%d  [00%d]  %d.%06d:     %d cycles: " % (t.name, 77, t.number, n % 4, n, r.randrange(10 ** 6), t.weight))
        lines += ["\t        7f%04x %s+0x1 (/usr/lib/a.so)" % (d, symbol % f) for d, f in enumerate(t.leaf_first())] + [""]
    return lines


def perf_java(r, of):
    lines = perf(r, of, "Lshop/%s")
    for n, line in enumerate(lines):        # Lshop/shop.Part1.step2 -> Lshop/Part1;::step2
        if "Lshop/shop." in line:
            head, rest = line.split("Lshop/shop.")
            part, step = rest.split(".", 1)
            lines[n] = head + "Lshop/" + part + ";::" + step
    return lines


def macos_sample(r, of):
    lines = ["Analysis of sampling app (pid 7) every 1 millisecond", "Process:         app [7]", "", "Date/Time:       2026-01-01 00:00:00.250 +0000", "----", "", "Call graph:"]
    for t in of:
        lines.append("    %d Thread_%d: %s" % (t.weight, t.number, t.name))
        for depth, f in enumerate(t.frames):
            lines.append("    %s%s%d %s  (in app) + 3  [0x7f%04x]" % (r.choice("+!:| "), r.choice(" +!:|") + "  " * depth, t.weight, f, depth))
        t.weight *= 10 ** 6
    return ("\n".join(lines + ["", "Total number in stack (recursive counted multiple, when >=5):", ""]) + "\n").encode()


def instruments(r, of):
    """Values that were written before are references."""
    ids, rows = {}, []

    def element(name, key, attributes, inside):
        if (name, key) in ids:
            return '<%s ref="%d"/>' % (name, ids[name, key])
        ids[name, key] = len(ids) + 1
        return '<%s id="%d" %s>%s</%s>' % (name, ids[name, key], attributes, inside, name)

    for t in of:
        frames = "".join(element("frame", f, "name=%s addr=\"0x7f%d\"" % (quoteattr(f), t.number), element("binary", "app", 'name="app"', "")) for f in t.leaf_first())
        process = element("process", 7, 'fmt="app (7)"', '<pid id="%d">7</pid>' % (9000 + t.number))
        thread = element("thread", t.number, "fmt=%s" % quoteattr("%s  0x7b (app, pid: 7)" % t.name), '<tid id="%d">%d</tid>%s' % (9900 + t.number, t.number, process))
        rows.append("<row>%s%s%s%s</row>" % (element("sample-time", t.number, "", t.number * 1000), thread, element("weight", t.weight, "", t.weight),
                                             element("backtrace", tuple(t.frames), "", frames)))
    return ("<?xml version=\"1.0\"?>\n<trace-query-result>\n<node><schema name=\"time-profile\"/>" + "\n".join(rows) + "</node></trace-query-result>\n").encode()


def instruments_text(r, of):
    lines = ["Weight\tSelf Weight\t\tSymbol Name", "%d ns  100.0%%\t-\t \tapp (7)" % sum(t.weight for t in of)]
    for t in of:
        lines.append("%d ns   50.0%%\t-\t \t %s  0x%x" % (t.weight, t.name, t.number))
        for depth, f in enumerate(t.frames):
            lines.append("%d ns   50.0%%\t%s\t \t%s%s" % (t.weight, "%d ns" % t.weight if depth == len(t.frames) - 1 else "-", "  " + " " * depth, f))
    return ("\n".join(lines) + "\n").encode()


def vtune(r, of):
    """Without processes and threads."""
    lines = ["Function Stack,CPU Time:Total,CPU Time:Self,Module", "Total,100.0%,0s,[Unknown]"]
    for t in of:
        t.name = ""
        for depth, f in enumerate(t.frames):
            lines.append('%s"%s",50.0%%,%ss,app' % (" " * (depth + 1), f, t.weight if depth == len(t.frames) - 1 else 0))
        t.weight *= NS
    return ("\n".join(lines) + "\n").encode()


# --- JSON and protocol buffers

def sjk_trace(r, of):
    samples = [(t.number, t.name, 1, 0, 0, [(*f.rsplit(".", 2), "%s.java" % file_of(f), 7) for f in t.leaf_first()]) for t in of]
    return sjk.Trace(r.choice([2, 4])).whole(samples, False)


def pyspy_json(r, of):
    return json.dumps([{"pid": 7, "thread_id": 99 + t.number, "thread_name": t.name, "os_thread_id": t.number, "active": True, "owns_gil": False,
                        "frames": [{"name": f, "filename": "/srv/a.py", "module": None, "short_filename": None, "line": 3, "locals": None} for f in t.leaf_first()],
                        "process_info": None} for t in of], indent=r.choice([None, 2])).encode()


def rbspy(r, of):
    lines = ["rbspy02", json.dumps({"sample_rate": 100, "rbspy_version": "0.19.1", "start_time": {"secs_since_epoch": START, "nanos_since_epoch": 0}})]
    for t in of:
        t.name = ""
        lines.append(json.dumps({"trace": [{"name": f, "relative_path": "a.rb", "absolute_path": None, "lineno": 3} for f in t.leaf_first()], "pid": 7,
                                 "thread_id": t.number, "time": {"secs_since_epoch": START, "nanos_since_epoch": t.number}, "on_cpu": True}))
    return ("\n".join(lines) + "\n").encode()


def speedscope(r, of):
    frames = sorted({f for t in of for f in t.frames})
    return {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": f} for f in frames]},
            "profiles": [{"type": "sampled", "name": t.name, "unit": "none", "startValue": 0, "endValue": t.weight,
                          "samples": [[frames.index(f) for f in t.frames]], "weights": [t.weight]} for t in of]}


def firefox(r, of):
    strings, threads = [], []
    nodes, frames = [], []
    for t in of:
        parent = None
        for f in t.frames:
            if f not in strings:
                strings.append(f)
                frames.append(strings.index(f))
            nodes.append((strings.index(f), 0 if parent is None else len(nodes) - parent))
            parent = len(nodes) - 1
        threads.append({"name": t.name, "tid": t.number, "pid": "7", "processType": "default", "markers": {"length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": []},
                        "samples": {"length": 1, "stack": [parent], "time": [1], "weight": [t.weight], "weightType": "samples"}})
    columns = {"frameTable": {"length": len(strings), "func": list(range(len(strings))), "line": [None] * len(strings)},
               "funcTable": {"length": len(strings), "name": list(range(len(strings)))},
               "stackTable": {"length": len(nodes), "frame": [n[0] for n in nodes], "prefixOffset": [n[1] for n in nodes]}}
    return {"meta": {"interval": 1, "startTime": START * 1000, "version": 36, "preprocessedProfileVersion": 66, "markerSchema": [], "categories": []},
            "libs": [], "shared": {"stringArray": strings, **columns}, "threads": threads}


def chrome(r, of):
    frames, events = {}, []
    for t in of:
        parent = None
        for f in t.frames:
            name = str(len(frames) + 1)
            frames[name] = {"name": f, "category": "a", **({"parent": parent} if parent else {})}
            parent = name
        events += [{"ph": "M", "name": "thread_name", "pid": 7, "tid": t.number, "args": {"name": t.name}},
                   {"ph": "P", "name": "s", "pid": 7, "tid": t.number, "ts": t.number, "sf": parent, "weight": t.weight}]
    return {"traceEvents": events, "stackFrames": frames}


def profile_proto(r, of):
    p = pprof.Profile()
    p.type("samples", "count")
    functions = sorted({f for t in of for f in t.frames})
    for t in of:
        p.sample([functions.index(f) + 1 for f in t.leaf_first()], [t.weight], p.label("thread", t.name), p.label("thread_id", value=t.number))
    for n, f in enumerate(functions):
        p.location(n + 1, 0, 0, (n + 1, 7))
        p.function(n + 1, f, "a.c")
    return p.bytes(pprof.number(9, START * NS))


def profile_otlp(r, of):
    p = otlp.Profiles()
    made = [p.sample(p.stack(*(p.location((f, "a.c", 7)) for f in t.leaf_first())), [t.weight], [START * NS + t.number],
                     [p.attribute("thread.name", t.name), p.attribute("thread.id", t.number)]) for t in of]
    p.resource({"service.name": "s"}, p.profile("samples", "count", START * NS, *made))
    return p.bytes()


KINDS = {}
for frame, makers in ((java, (jstack, jstack8, jstack_l, hpux, thread_info, weblogic, visualvm, jrockit, coroutines, coroutines_tree, forced, dump_to_file, dump_to_json, actuator, javacore, perf_java, sjk_trace)),
                      (native, (gdb, gdb_full, lldb, bpftrace, dtrace, systemtap, perf, folded, folded_dumps, speedscope, firefox, chrome, profile_proto, profile_otlp, folded_arrows,
                                folded_first, macos_sample, instruments, instruments_text, vtune)),
                      (plain, (austin, goroutines, goroutine_counts, py_spy, faulthandler, dotnet, eu_stack, eu_stack_source, pyspy_json, rbspy))):
    for maker in makers:
        KINDS[maker.__name__.replace("_", "-")] = (maker, frame)
WEIGHTED = {"coroutines-tree", "austin", "goroutine-counts", "folded", "folded-dumps", "bpftrace", "dtrace", "systemtap", "perf", "perf-java", "speedscope", "firefox", "chrome",
            "profile-proto", "profile-otlp", "folded-arrows", "folded-first", "macos-sample", "instruments", "instruments-text", "vtune"}
LEAST = {"folded": 4, "folded-dumps": 4, "folded-arrows": 4, "folded-first": 4}


def one(r, kind):
    """A text (lines) or bytes of the kind, and its threads."""
    maker, frame = KINDS[kind]
    of = threads(r, frame, LEAST.get(kind, 2))
    if kind.startswith("folded"):       # one frame and a number is what many texts have
        for t in of:
            t.frames = [frame(r, 98), frame(r, 99)] + t.frames
    made = maker(r, of)
    if kind not in WEIGHTED:
        for t in of:
            t.weight = 1
    return made, of


SECTIONS = ["jstack", "jstack-l", "jrockit", "coroutines", "coroutines-tree", "javacore", "gdb", "goroutines", "py-spy", "faulthandler", "perf", "folded", "dump-to-file", "eu-stack", "bpftrace", "dtrace", "weblogic", "goroutine-counts"]


def mixed(r):
    """Several kinds in one file, with lines of a log and collections between them."""
    lines, of = [], []
    for kind in r.sample(SECTIONS, r.randrange(2, 4)):
        made, more = one(r, kind)
        lines += LOG + GC + [""] + made + [""]
        of += more
    return lines + LOG, of


# --- what surrounds a text

LOG = ["2026-01-02 03:04:0%d.123 INFO  [main] shop.Main - order %d is paid" % (n, n) for n in range(5)]
GC = ["[0.%d05s][info][gc] GC(%d) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms" % (n + 1, n) for n in range(4)]


def among_log(r, lines):
    return LOG + lines + [""] + LOG


def prefixed(r, lines):
    return ["2026-01-02 03:04:0%d.123 INFO  [stdout] (main) %s" % (n % 10, line) for n, line in enumerate(lines)]


LOGGED = ["2026-01-02 03:04:05.123 INFO  [main] shop.Main - order 7 is paid", "03:04:05,123 [worker-4] WARN  a.B - slow: 17 ms", "WARNING: late",
          "Jan  2 03:04:05 host app[7]: starting now", "<11>Jan 12 03:04:05 host app: ready", "I0102 03:04:05.123456    7 main.go:12] ready", "[INFO] Scanning for projects...",
          "2026/01/02 03:04:05 main.go:12: listening", "INFO:root:ready", 'time="2026-01-02T03:04:05Z" level=info msg="ready"', "[main] DEBUG shop.Till - open",
          "2026-01-02T03:04:05.000+01:00  WARN 7 --- [nio-8080-exec-1] shop.Main : late", "02-Jan-2026 03:04:05.123 SEVERE [main] shop.Main.run down"] + GC


def interrupted(r, lines):
    """Another thread wrote its log to the same file meanwhile: between any two lines of a dump's threads."""
    made = []
    for n, line in enumerate(lines):
        made.append(line)
        if 0 < n < len(lines) - 1 and line.strip() and lines[n + 1].strip():
            made += r.sample(LOGGED, r.choice([0, 0, 0, 0, 1, 1, 2]))
    return made


def encoded(r, lines):
    how = r.randrange(5)
    text = "\n".join(lines) + "\n"
    if how == 0:
        return text.replace("\n", "\r\n").encode()
    return text.encode(["utf-16", "utf-16-le", "utf-8-sig", "utf-32"][how - 1])


def wrapped_by(kind):
    def wrapped(_, lines):
        return wrap_log.wrapped(kind, "\n".join(lines) + "\n")
    wrapped.__name__ = kind
    return wrapped


def joined(parts):
    return parts if isinstance(parts, bytes) else ("\n".join(parts) + "\n").encode()


def tar_of(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        tar.addfile(entry, io.BytesIO(data))
    return name + ".tar", out.getvalue()


def zip_of(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return name + ".zip", out.getvalue()


PACKING = [lambda n, d: (n + ".gz", gzip.compress(d, 1)), lambda n, d: (n + ".xz", lzma.compress(d, preset=0)),
           lambda n, d: (n + ".bz2", bz2.compress(d, 1)), tar_of, zip_of]


def letters(number):
    text = ""
    while number:
        text, number = "ghjkmnpqrstvwxyz"[number % 16] + text, number // 16
    return "u" + text + "u"


SURROUNDING = [among_log, prefixed, encoded, None, None]
INTERRUPTED = {"jstack", "jstack8", "jstack-l", "hpux", "thread-info", "visualvm", "jrockit", "coroutines", "coroutines-tree", "forced", "dump-to-file", "javacore", "gdb", "gdb-full",
               "lldb", "eu-stack", "eu-stack-source", "goroutines", "py-spy", "faulthandler", "dotnet", "austin", "folded", "bpftrace", "dtrace",
               "systemtap", "weblogic", "goroutine-counts", "perf"}
WRAPPINGS = sorted({**wrap_log.KINDS, **wrap_log.MORE})


def a_file(r, name, kind):
    made, of = mixed(r) if kind == "mixed" else one(r, kind)
    how = "alone"
    if isinstance(made, dict):
        made = json.dumps(made, indent=r.choice([None, 1])).encode()
    if not isinstance(made, bytes):
        # breaks of a page keep no tab at the start of a line, by which goroutines have the place of a call
        wrappings = [w for w in WRAPPINGS if w != "page-of-breaks" or kind not in ("goroutines", "goroutine-counts", "mixed")]
        surround = r.choice(SURROUNDING + [interrupted] * (kind in INTERRUPTED)) or wrapped_by(r.choice(wrappings))
        surround = r.choice([None, surround, surround])
        if surround is not None:
            made = surround(r, made)
            how = surround.__name__
        made = joined(made)
    full = name + ".txt"
    for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
        full, made = r.choice(PACKING)(full, made)
    return full, made, of, how


def make(folder, files, seed):
    r = random.Random(seed)
    kinds = sorted(KINDS) + ["mixed"]
    os.makedirs(folder)
    with open(folder + ".truth", "w") as truth:
        for n in range(files):
            name, kind = letters(n + 1), kinds[n % len(kinds)]
            full, data, of, how = a_file(r, name, kind)
            with open(os.path.join(folder, full), "wb") as out:
                out.write(data)
            for t in of:
                print(name, kind, how, t.name, ";".join(t.frames), t.weight, sep="\t", file=truth)


def make_pairs(folder, seed):
    r = random.Random(seed)
    os.makedirs(folder)
    with open(folder + ".truth", "w") as truth:
        for n, (first, second) in enumerate((a, b) for a in SECTIONS for b in SECTIONS):
            name, lines = letters(n + 1), []
            for kind in (first, second):
                made, of = one(r, kind)
                lines += made + [""]
                for t in of:
                    print(name, first + " " + second, "", t.name, ";".join(t.frames), t.weight, sep="\t", file=truth)
            with open(os.path.join(folder, name + ".txt"), "wb") as out:
                out.write(joined(lines))


def compare(folder):
    wanted, got = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    about = {}
    with open(folder + ".truth") as truth:
        for line in truth:
            name, kind, how, thread, stack, weight = line.rstrip("\n").split("\t")
            wanted[name][thread, stack, int(weight)] += 1
            about[name] = kind + ", " + how
    for line in sys.stdin:
        row = json.loads(line)
        name = next((part.split(".")[0] for part in row["source"].split("/")[::-1] if part.split(".")[0] in wanted), row["source"])
        got[name][row["thread"] or "", ";".join(row["stack"] or []), row["weight"]] += 1
    differing = [name for name in sorted(set(wanted) | set(got)) if wanted[name] != got[name]]
    for name in differing:
        print(name, about.get(name, "not a file of the archive"))
        for sign, rows in (("-", wanted[name] - got[name]), ("+", got[name] - wanted[name])):
            for row, count in sorted(rows.items()):
                print(" ", sign, *row, "" if count == 1 else "times %d" % count)
    print("%d files, %d kinds, %d samples, %d files differ" %
          (len(wanted), len({text.split(",")[0] for text in about.values()}), sum(sum(rows.values()) for rows in wanted.values()), len(differing)))
    return 1 if differing else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "pairs":
        make_pairs(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2]))
    else:
        print("\n".join(sorted(KINDS)))
