# SPDX-License-Identifier: MIT
"""What a Python program says of its own stacks, against what stkcap --python took of it.

	python_truth.py run REPORT SPINS	changes its stacks, writes which it has, and keeps them until it reads a byte; then anew
	python_truth.py compare REPORT SAMPLES	SAMPLES: stkcat -f ndjson --ids --only string,frame,stack,thread,dump,sample, a dump for
						each of these states; prints how many were compared and differ; 1 if any does

Works with Python 3.8 to 3.13. SPINS threads run all the time: of these only possible pairs of caller and line are accepted."""
import gc, json, os, random, sys, threading, time, types

THREADS = 6
SETTLE = 0.002
qualified = {}		# names by code


# --- the stacks ---

class Worker(threading.Thread):
    def __init__(self, number):
        super().__init__(name='worker "%d" жз' % number if number == 1 else 'worker %d' % number, daemon=True)
        self.turn, self.parked, self.plan = threading.Semaphore(0), threading.Event(), []

    def run(self):
        while True:
            self.park()
            self.descend(self.plan)

    def park(self):
        self.parked.set()
        self.turn.acquire()

    def descend(self, plan):
        if not plan:
            return self.park()
        ways = (self.plain, self.generated, self.comprehended, lambda rest: self.descend(
            rest), Worker.stati, self.classy, self.__private, self.owned)
        return ways[plan[0]](plan[1:])

    def plain(self, rest):
        try:
            self.descend(rest)
        finally:
            rest = None

    def generated(self, rest):
        def inner():
            self.descend(rest)
            yield 1
        for _ in inner():
            pass

    def comprehended(self, rest):
        return [self.descend(rest)
                for _ in range(1)]

    @staticmethod
    def stati(rest):
        threading.current_thread().descend(rest)

    @classmethod
    def classy(cls, rest):
        threading.current_thread().descend(rest)

    def __private(self, rest):
        self.descend(rest)

    def owned(self, rest):
        self.rest = rest
        return self.rested

    @property
    def rested(self):
        self.descend(self.rest)


class Heir(Worker):
    pass


def b():
    return sum(x for x in range(3))


def c():
    x = 0
    for i in range(3):
        x += i
    return x


def spin():
    while True:
        b()
        c()


# Before 3.11 a method has its class by its function, which only those of self and cls are known by from outside.
def methods():
    functions = [f for f in gc.get_objects() if isinstance(f, types.FunctionType) and '<' not in f.__qualname__]
    return {f.__code__: f.__qualname__ for f in functions
            if f.__qualname__.endswith('.' + f.__name__) and f.__code__.co_varnames[:1] in (('self',), ('cls',))}


def name_of(code):
    return getattr(code, 'co_qualname', None) or qualified.get(code, code.co_name)


def stack_of(frame):
    out = []
    while frame is not None:
        out.append('%s (%s:%d)' % (name_of(frame.f_code), frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return out[::-1]


# --- the report: {thread: stack} of each state ---

def stacks():
    names = {t.ident: t.name for t in threading.enumerate()}
    me = threading.get_ident()
    return {names[i]: stack_of(f.f_back if i == me else f) for i, f in sys._current_frames().items() if not names[i].startswith('spin')}


def is_parked(frame):
    return frame is not None and frame.f_code.co_name == 'acquire'


# From its event into its semaphore: then it does not change any more.
def wait_until(workers):
    for w in workers:
        w.parked.wait()
        w.parked.clear()
    while not all(is_parked(sys._current_frames()[w.ident].f_back) for w in workers):
        time.sleep(SETTLE)
    time.sleep(SETTLE)


def keep(out):
    return [out.write(json.dumps(stacks()) + '\n'), out.flush(), os.read(0, 1)]	# one line: that of the report is that of the rest


def run(report, spins):
    random.seed(7)
    qualified.update(methods())
    sys.setswitchinterval(0.0005)
    workers = [(Worker, Heir)[i % 2](i) for i in range(THREADS)]
    for w in workers:
        w.start()
    for i in range(int(spins)):
        threading.Thread(target=spin, name='spin %d' % i, daemon=True).start()
    wait_until(workers)
    print('ready', flush=True)
    with open(report, 'w') as out:
        while True:
            for w in workers:
                w.plan = [random.randrange(8) for _ in range(random.randrange(12))]
                w.turn.release()
            wait_until(workers)
            keep(out)
            for w in workers:
                w.turn.release()
            wait_until(workers)


# --- the comparison ---

# A caller that runs is at the line of the call.
def is_possible(stack):
    names = [f.split(' (')[0].split('.')[-1] for f in stack]
    lines = [int(f.rsplit(':', 1)[1].rstrip(')')) for f in stack]
    first = spin.__code__.co_firstlineno
    if 'spin' not in names:
        return True			# it has not begun
    at = names.index('spin')
    inner = names[at + 1:]
    if not inner:
        return lines[at] in (first, first + 1, first + 2, first + 3)
    if lines[at] != first + (2 if inner[0] == 'b' else 3) or inner[0] not in 'bc':
        return False
    # the end of a generator expression has no line in 3.12
    return len(inner) == 1 or (inner == ['b', '<genexpr>'] and lines[at + 2] in (0, b.__code__.co_firstlineno + 1))


def stack_in(tables, stack):
    out = []
    while stack:
        row = tables['stack', stack]
        frame = tables['frame', row['frame']]
        out.append('%s (%s:%d)' % (tables['string', frame['function']]['text'], tables['string', frame['file']]['text'], frame['line']))
        stack = row['parent']
    return out[::-1]


# Ids begin anew in each part of a stream.
def dumps_of(samples):
    tables, dumps = {}, []
    for row in map(json.loads, open(samples)):
        if row['kind'] == 'dump':
            dumps.append({})
        elif row['kind'] == 'sample':
            name = tables['string', tables['thread', row['thread']]['name']]['text']
            dumps[-1][name.replace("'", '"')] = stack_in(tables, row['stack'])
        else:
            tables[row['kind'], row['id']] = row
    return dumps


def compare(report, samples):
    states, differ, spins = [json.loads(line) for line in open(report)], 0, 0
    dumps = dumps_of(samples)
    for dump, state in zip(dumps, states):
        running = [s for n, s in dump.items() if n.startswith('spin')]
        own = {n: s for n, s in dump.items() if not n.startswith('spin')}
        impossible = [s for s in running if not is_possible(s)]
        spins += len(running)
        differ += len(impossible) > 0 or own != state
        for stack in impossible:
            print('impossible:', stack, file=sys.stderr)
        for n in sorted(set(own) | set(state)):
            if own.get(n) != state.get(n):
                print('differs:', n, own.get(n), state.get(n), sep='\n  ', file=sys.stderr)
    print('%d dumps compared of %d, %d stacks that run, %d differ' % (len(dumps), len(states), spins, differ))
    return 1 if differ or len(dumps) != len(states) or not spins else 0


if __name__ == '__main__':
    sys.exit({'run': run, 'compare': compare}[sys.argv[1]](*sys.argv[2:]))
