#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Larger inputs for second_reading.py, made at random after the description of their form: second_inputs.py FORM SEED >FILE"""
import json, random, sys

chance = random.Random(int(sys.argv[2]))
NAMES = ["step%d" % n for n in range(40)] + ["Stück", "block in run", "a b", "<main>", "operator new", "Shop::sell", "x\"y"]


def stack(most=12): return [chance.choice(NAMES[:41]) for _ in range(chance.randrange(1, most))]


def rbspy():
    print('rbspy02\n{"sample_rate":100,"rbspy_version":"0.19.1"}')
    for n in range(2000):
        trace = [{"name": name, "relative_path": "w.rb", "absolute_path": chance.choice(("/srv/w.rb", None)), "lineno": chance.choice((None, 7))} for name in stack()]
        print(json.dumps({"trace": trace, "pid": 812, "thread_id": chance.choice((1, 7, 140737353958208)), "on_cpu": chance.choice((True, False, None)),
                          "time": {"secs_since_epoch": 1767225600 + n // 7, "nanos_since_epoch": n * 1000003 % 10 ** 9}}, ensure_ascii=False))


def vtune():
    print("Function Stack,CPU Time:Total,CPU Time:Self,CPI Rate:Self,Hardware Event Count:INST_RETIRED.ANY:Self,Module,Source File,Start Address")
    print("Total,100.0%,0s,,0,[Unknown],[Unknown],0")
    depth = 1
    for _ in range(3000):
        name = chance.choice(NAMES[:20])
        count = chance.choice(("0", "17", '"1,200"', '"12,345,678"'))
        quoted = '"%s(int, char const*)"' % name if chance.random() < .3 else name
        print(" " * depth + "%s,9.5%%,%ss,0.5,%s,shop,shop.c,0x401000" % (quoted, chance.choice(("0", "0.100", "12.000", "3.2")), count))
        depth = chance.randrange(1, depth + 2)


def instruments():
    print('<?xml version="1.0"?>\n<trace-query-result>\n<node xpath="x"><schema name="time-profile"><col><mnemonic>time</mnemonic><name>Sample Time</name>'
          '<engineering-type>sample-time</engineering-type></col></schema>', end="")
    known, last = {}, 0

    def say(tag, key, attributes, inside=""):
        nonlocal last
        if (tag, key) in known:
            return '<%s ref="%d"/>' % (tag, known[tag, key])
        last += 1
        known[tag, key] = last
        return '<%s id="%d" %s>%s</%s>' % (tag, last, attributes, inside, tag)

    def frame(name):
        line = '<source line="7">%s</source>' % say("path", name[-1], "", "/srv/%s.cc" % name[-1])
        binary = say("binary", name[:5], 'name="%s" path="/opt/%s"' % (name[:5], name[:5]))
        return say("frame", name, 'name="%s" addr="0x1000"' % name, binary + line)
    for n in range(2000):
        frames, thread = tuple(chance.choice(NAMES[:40] + ["0x18d3df0f1"]) for _ in range(chance.randrange(1, 9))), chance.randrange(1, 6)
        process = say("process", 1, 'fmt="shop (4711)"', say("pid", 1, 'fmt="4711"', "4711"))
        row = say("sample-time", n, 'fmt="x"', str(57246708 + n * 1000001))
        row += say("thread", thread, 'fmt="till &quot;%d&quot;  0x%x (shop, pid: 4711)"' % (thread, thread), say("tid", thread, 'fmt="x"', str(thread)) + process) + process
        state = chance.choice(("Running", "Blocked"))
        row += say("core", 3, 'fmt="CPU 3"', "3") + say("thread-state", state, 'fmt="%s"' % state, state)
        weight = chance.choice((1000000, 2000000))
        row += say("weight", weight, 'fmt="x"', str(weight))
        print("<row>%s</row>" % (row + say("backtrace", frames, "", "".join(map(frame, frames)))))
    print("</node></trace-query-result>")


def firefox():
    """As samply writes it: tables of each thread, a stack's caller by its number, an absolute start."""
    threads = []
    for number in range(1, 6):
        stacks, samples = {}, {"stack": [], "timeDeltas": [], "weight": []}

        def stack_of(names):
            above = None
            for name in names:
                above = stacks.setdefault((above, name), len(stacks))
            return above
        for _ in range(500):
            samples["stack"].append(stack_of(stack(8)) if chance.random() < .9 else None)
            samples["timeDeltas"].append(chance.randrange(1, 40) / 4)
            samples["weight"].append(chance.randrange(1, 9))
        strings = sorted({name for _, name in stacks})
        at = {name: n for n, name in enumerate(strings)}
        size = len(strings)
        threads.append({"name": "worker %d" % number, "tid": number, "pid": "12", "processName": "shop", "samples": dict(samples, length=500, weightType="samples"),
                        "stringArray": strings, "funcTable": {"length": size, "name": list(range(size)), "resource": [-1] * size, "fileName": [None] * size},
                        "frameTable": {"length": size, "func": list(range(size)), "line": [None] * size, "nativeSymbol": [None] * size},
                        "stackTable": {"length": len(stacks), "prefix": [above for above, _ in stacks], "frame": [at[name] for _, name in stacks]}})
    json.dump({"meta": {"interval": 1, "startTime": 1767225600000, "product": "shop", "version": 29, "preprocessedProfileVersion": 49}, "libs": [], "threads": threads}, sys.stdout)


def javacore():
    print("NULL\n0SECTION       TITLE subcomponent dump routine\n1TIDATETIMEUTC Date: 2026/11/20 at 21:14:44:250 (UTC)\n0SECTION       MEMINFO subcomponent dump routine\n"
          "1STHEAPTOTAL   Total memory:                     8388608 (0x0000000000800000)\n0SECTION       THREADS subcomponent dump routine\n1XMTHDINFO     Thread Details")
    for n in range(500):
        print("NULL\n3XMTHREADINFO      \"pool-%d thread\" J9VMThread:0x%016X, omrthread_t:0x00007FF4F0007288, java/lang/Thread:0x0000000087F40C70, state:%s, prio=5" %
              (n, 0xa2a00 + 256 * n, chance.choice(("R", "CW", "B", "P"))))
        print("3XMJAVALTHREAD            (java/lang/Thread getId:0x%X, isDaemon:false)" % (n + 1))
        print("3XMTHREADINFO1            (native thread ID:0x%X, native priority:0x5, native policy:UNKNOWN, vmstate:CW, vm thread flags:0x00000181)" % (0x1268 + n))
        print("3XMTHREADINFO3           Java callstack:")
        for name in stack(30):
            print("4XESTACKTRACE                at com/acme/part%d/Till.%s(%s)" % (chance.randrange(3), name,
                  chance.choice(("Till.java:12(Compiled Code)", "Till.java:7", "Native Method", "Bytecode PC:8"))))
        if chance.random() < .5:
            print("3XMTHREADINFO3           Native callstack:")
            for name in stack(6):
                print("4XENATIVESTACK               %s(0x00007FF4F62A9376 [lib%s.so.0+0xf376])" % (chance.choice((name + "+0x1a8 ", "")), name))
    print("NULL\n1XMTHDSUMMARY  Threads CPU Usage Summary\n0SECTION       Javadump End section\n"
          "NULL           ---------------------- END OF DUMP -------------------------------------")


def verbose_gc():
    print('<?xml version="1.0" encoding="UTF-8" ?>\n\n<verbosegc xmlns="http://www.ibm.com/j9/verbosegc" version="x">\n')
    for n in range(400):
        at, kind = "2026-11-20T%02d:%02d:%02d.%03d" % (n // 60, n % 60, chance.randrange(60), chance.randrange(1000)), chance.choice(("scavenge", "global"))
        total = chance.randrange(10000, 20000) * 1024
        print('<exclusive-start id="1" timestamp="%s" intervalms="1.0">\n</exclusive-start>' % at)
        print('<sys-start reason="explicit" id="2" timestamp="%s" />' % at if kind == "global" else '<af-start id="2" totalBytesRequested="280" timestamp="%s" type="nursery" />' % at)
        for tag in ("gc-start", "gc-end"):
            print('<%s id="3" type="%s" contextid="4" %stimestamp="%s">\n  <mem-info id="6" free="%d" total="%d" percent="1">\n'
                  '    <mem type="nursery" free="0" total="2000" percent="0" />\n  </mem-info>\n</%s>'
                  % (tag, kind, 'durationms="1.5" ' if tag == "gc-end" else "", at, chance.randrange(total), total, tag))
        print('<exclusive-end id="12" timestamp="%s" durationms="%d.%03d" />\n' % (at, chance.randrange(50), chance.randrange(1000)))
    print("</verbosegc>")


def ftrace():
    print("# tracer: nop\n#")
    threads, open_slices, now = [("bash", 1977), ("my app", 12), ("web 1", 13), ("kworker/0:1-ev", 40)], {}, 17284000000
    for _ in range(3000):
        command, number = chance.choice(threads)
        now += chance.randrange(1, 900)
        slices = open_slices.setdefault(number, [])
        kind = chance.randrange(6)
        if kind == 0:
            other = chance.choice(threads)
            event = "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%d next_prio=120" % (command, number, *other)
        elif kind == 1 and slices:
            slices.pop()
            event = "tracing_mark_write: E|%d" % number
        elif kind <= 2:
            slices.append(chance.choice(NAMES[:40]))
            event = "tracing_mark_write: B|%d|%s" % (number, slices[-1])
        elif kind == 3:
            event = "tracing_mark_write: C|%d|queue|%d" % (number, chance.randrange(-9, 9))
        else:
            event = chance.choice(("irq_handler_entry: irq=19 name=ata", "irq_handler_exit: irq=19 ret=handled", "kmalloc: call_site=x bytes_req=64"))
        print("%16s-%-7d [%03d] d..2. %d.%06d: %s" % (command, number, processor := chance.randrange(4), now // 10 ** 6, now % 10 ** 6, event))
        if chance.random() < .2:
            print("%16s-%-7d [%03d] d..2. %d.%06d: <stack trace>" % (command, number, processor, now // 10 ** 6, now % 10 ** 6))
            print("".join(" => %s+0x1d3/0x2e0\n" % name for name in stack(6)), end="")


FORMS = {"rbspy": rbspy, "vtune": vtune, "instruments": instruments, "firefox": firefox, "javacore": javacore, "verbose-gc": verbose_gc, "ftrace": ftrace}
FORMS[sys.argv[1]]()
