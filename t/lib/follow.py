#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# follow: feeds a stream to `stktree --follow` in pieces and looks at the tree at its commits, or kills it; waits for what must come, never for a time.
#
#   follow.py pieces STREAM SEED RUNS [OPTION ...]      random pieces: at each commit the tree answers as a tree of what was taken by then does
#   follow.py kills STREAM NEXT SEED RUNS [OPTION ...]  kill -9 at random moments: what was committed is there, and NEXT can be added
#   follow.py live COMMAND SEED SECONDS [OPTION ...]    what a shell command writes, as it comes; looked at as random pieces are
#   follow.py torn STREAM NEXT SEED RUNS [OPTION ...]   a commit of which only a part reached the file
#
# OPTIONs are given to stktree. Status 1 and a line for people on what differs; the last line of the output counts what was done.

import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reader"))
import stkread

SAMPLE, DUMP, METRIC, INDEX, END, DESCRIPTION = 9, 8, 11, 33, 34, 44
TREE_KINDS = (23, 44, 45, 46)
WINDOWS = ([], ["--from", "@1700000003", "--to", "@1700000011.505"], ["--from", "@1700000010"], ["--to", "@1700000000.02"])
PATIENCE_S = 60

stopping = False


# What two must have in common, and has not.
class Differs(Exception):
    pass


# The blocks of some bytes from a place on, as far as they are whole: kind, rows, where each begins and ends.
def blocks_of(data, at=0):
    out = []
    while at < len(data):
        try:
            block = stkread.parse_block(data, at)
        except stkread.Damage:
            break
        if block.end > len(data):
            break
        out.append((block.kind, block.rows, at, block.end))
        at = block.end
    return out


# The rows that a tree must have of what was taken so far: of all kinds but those that only describe a stream.
def rows_of(blocks):
    rows = {}
    for kind, count, _, _ in blocks:
        if kind not in TREE_KINDS and kind not in (0, INDEX, END):
            rows[kind] = rows.get(kind, 0) + count
    return rows


# The bytes of a file, or none.
def content(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return b""


# Removes a file that may be there.
def remove(path):
    if os.path.exists(path):
        os.remove(path)


# The output of a command, which must end with one of these statuses.
def output_of(args, statuses=(0,)):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in statuses:
        raise Differs("%s: status %d: %s" % (" ".join(args), done.returncode, done.stderr.decode()[:300]))
    return done.stdout


# All that can be asked of a tree.
def answers(path, statuses=(0,)):
    # a window that holds nothing is status 1
    out = [output_of(["stkcat", "-q", "-f", "ndjson", "--ids", "--only", "sample,dump,metric", path], statuses)]
    for window in WINDOWS:
        out.append(output_of(["stktree", "-q", "-f", "folded", *window, path], (0, 1)))
    out.append(output_of(["stktree", "-q", "-f", "tsv", "--report", "flat", *WINDOWS[1], path], (0, 1)))
    out.append(output_of(["stktree", "-q", "-f", "ndjson", "--report", "tree", *WINDOWS[2], path], (0, 1)))
    return out


# Compares answers; what says of what they are.
def must_equal(got, wanted, what):
    for i, (a, b) in enumerate(zip(got, wanted)):
        if a != b:
            raise Differs("%s: answer %d differs (%d and %d bytes)" % (what, i, len(a), len(b)))


# A tree built of some bytes, which may end in the middle of a stream.
def build(data, path, options):
    with open("prefix.stk", "wb") as f:
        f.write(data)
    output_of(["stktree", "-q", "-o", path, *options, "prefix.stk"], (0, 1))


# A stktree that follows a pipe of ours; told to end only by that.
def start(tree, options):
    return subprocess.Popen(["stktree", "-q", "--follow", "--every", "1ms", "-o", tree, *options, "-"], stdin=subprocess.PIPE, start_new_session=True)


# Feeds a piece.
def feed(process, data):
    try:
        process.stdin.write(data)
        process.stdin.flush()
    except BrokenPipeError:
        raise Differs("stktree ended with status %d while it was fed" % process.wait())


# Waits for the commit after which the tree has these rows; its bytes. What was committed stays in its place, so that only the rest is looked at.
def commit_with(process, tree, rows):
    begun, before, known, at = time.monotonic(), b"", [], 0
    while time.monotonic() - begun < PATIENCE_S:
        data = content(tree)
        if data and data != before:
            before, blocks = data, known + blocks_of(data, at)
            if blocks and blocks[-1][0] == END and blocks[-1][3] == len(data):
                if rows_of(blocks) == rows and content(tree) == data:
                    return data
                known = [b for b in blocks if b[0] not in (INDEX, END)]
                at = known[-1][3]
        if process.poll() is not None:
            break
        time.sleep(0.002)
    raise Differs("no commit has %s; the tree has %s" % (rows, rows_of(blocks_of(content(tree)))))


# Where to cut a stream: mostly anywhere, now and then between two blocks.
def places(rng, data, blocks):
    cuts = {rng.choice(blocks)[3] if rng.random() < 0.3 else rng.randrange(1, len(data)) for _ in range(rng.randint(2, 12))}
    return sorted(cuts | {len(data)})


# Waits for the commit of these blocks, and compares it with a tree that is built of them.
def look_at_commit(process, data, blocks, options, what):
    with open("seen.tree", "wb") as f:
        f.write(commit_with(process, "t.tree", rows_of(blocks)))
    build(data[:blocks[-1][3]], "built.tree", options)
    output_of(["stkcat", "--check", "seen.tree"])
    must_equal(answers("seen.tree"), answers("built.tree"), what)


# Nothing more comes: the tree is whole, and that of all.
def end_well(process, data, options):
    process.stdin.close()
    if process.wait() != 0:
        raise Differs("stktree ended with status %d" % process.returncode)
    build(data, "built.tree", options)
    output_of(["stkcat", "--check", "t.tree"])
    must_equal(answers("t.tree"), answers("built.tree"), "the end")


# One stream in random pieces; how many commits were looked at.
def one_in_pieces(rng, data, blocks, options, commits):
    remove("t.tree")
    process, at = start("t.tree", options), 0
    for cut in places(rng, data, blocks):
        feed(process, data[at:cut])
        at = cut
        whole = [b for b in blocks if b[3] <= cut]
        if not whole or rng.random() < 0.4:
            time.sleep(rng.choice((0, 0, 0.002, 0.01)))
            continue
        look_at_commit(process, data, whole, options, "commit at byte %d" % cut)
        commits += 1
    end_well(process, data, options)
    return commits + 1


# The command `pieces`.
def pieces(stream, seed, runs, options):
    data, commits = content(stream), 0
    done = 0
    while done < runs and not stopping:
        commits = one_in_pieces(random.Random(seed + done), data, blocks_of(data), options, commits)
        done += 1
    print("%d runs, %d commits looked at" % (done, commits))


# The command `live`: what came is held back while a commit is looked at, as by a pipe that is full.
def live(command, seed, seconds, options):
    rng, data, commits = random.Random(seed), b"", 0
    remove("t.tree")
    source = subprocess.Popen(["sh", "-c", "exec " + command], stdout=subprocess.PIPE)
    process, begun, look, ended = start("t.tree", options), time.monotonic(), 0, False
    while True:
        piece = source.stdout.read1(rng.choice((100, 1000, 10000)))
        if not piece:
            break
        feed(process, piece)
        data += piece
        now = time.monotonic() - begun
        if now > seconds and not ended:
            source.terminate()
            ended = True
        elif look < now <= seconds:
            blocks = blocks_of(data)
            if blocks:
                look_at_commit(process, data, blocks, options, "after %d bytes" % len(data))
                commits += 1
                look = now + rng.random() * 2
    source.wait()
    end_well(process, data, options)
    print("%d bytes, %d samples, %d commits looked at" % (len(data), rows_of(blocks_of(data)).get(SAMPLE, 0), commits + 1))


# The bytes of the stream that the tree holds: up to the first place where that has as many rows as the tree. None where there is no such place.
def prefix_in(have, data, blocks):
    so_far, end = {}, 0
    for kind, rows, _, at in blocks:
        if so_far == have:
            break
        end = at
        if kind not in (0, INDEX, END):
            so_far[kind] = so_far.get(kind, 0) + rows
    if so_far != have:
        raise Differs("the tree has %s, which the stream has nowhere" % have)
    return data[:end]


# Adds another stream to a tree that was left behind, and compares with the tree of both.
def resume(tree, prefix, other, options, what):
    process = start(tree, options)
    feed(process, other)
    process.stdin.close()
    if process.wait() not in (0, 1):        # 1: it said that somebody had been interrupted
        raise Differs("%s: the next stktree ended with status %d" % (what, process.returncode))
    build(prefix + other, "built.tree", options)
    output_of(["stkcat", "--check", tree])
    ours, wanted = answers(tree), answers("built.tree")
    if b"\n" in ours[0] and sorted(ours[0].splitlines()) != sorted(wanted[0].splitlines()):
        raise Differs("%s: samples differ after the next" % what)
    must_equal(ours[1:], wanted[1:], what + ", and the next")


# The command `kills`.
def kills(stream, following, seed, runs, options):
    data, other = content(stream), content(following)
    blocks, whole, torn, none = blocks_of(data), 0, 0, 0
    for run in range(runs):
        if stopping:
            runs = run
            break
        rng, at, committed = random.Random(seed + run), 0, 0
        remove("t.tree")
        process = start("t.tree", options)
        for cut in places(rng, data, blocks)[:rng.randint(1, 12)]:
            feed(process, data[at:cut])
            at = cut
            if rng.random() < 0.3:
                taken = [b for b in blocks if b[3] <= cut]
                if taken:
                    committed = rows_of(blocks_of(commit_with(process, "t.tree", rows_of(taken)))).get(SAMPLE, 0)
            else:
                time.sleep(rng.random() * 0.01)
        process.kill()
        process.stdin.close()
        process.wait()
        if not os.path.exists("t.tree"):
            if committed:
                raise Differs("run %d: there is no tree after a commit" % run)
            none += 1
            continue
        checked = subprocess.run(["stkcat", "--check", "t.tree"], stderr=subprocess.DEVNULL).returncode
        have = rows_of(blocks_of(content("t.tree")))
        if have.get(SAMPLE, 0) < committed:
            raise Differs("run %d: %d samples, and %d were committed" % (run, have.get(SAMPLE, 0), committed))
        if checked == 0:
            prefix = prefix_in(have, data, blocks)
            build(prefix, "built.tree", options)
            must_equal(answers("t.tree"), answers("built.tree"), "run %d" % run)
            resume("t.tree", prefix, other, options, "run %d" % run)
            whole += 1
        elif checked == 1:
            torn += 1
        else:
            raise Differs("run %d: stkcat --check ends with %d" % (run, checked))
    print("%d kills: %d trees whole and resumed, %d in the middle of a commit, %d before the first" % (runs, whole, torn, none))


# The bytes of the stream that a tree describes which ends at a place: those of the last commit of which the description is there.
def described_at(cut, have, data, blocks):
    end = max(b[3] for b in have if b[0] == DESCRIPTION and b[3] <= cut)
    return prefix_in(rows_of([b for b in have if b[3] <= end]), data, blocks)


# The command `torn`: the new end of a file, as far as it came, over the old one.
def torn(stream, following, seed, runs, options):
    data, other, rng = content(stream), content(following), random.Random(seed)
    blocks = blocks_of(data)
    half = [b for b in blocks if b[3] <= len(data) // 2]
    remove("t.tree")
    process = start("t.tree", options)
    feed(process, data[:half[-1][3]])
    before = commit_with(process, "t.tree", rows_of(half))
    more = [b for b in blocks if b[3] <= len(data) * 2 // 3]
    feed(process, data[half[-1][3]:more[-1][3]])
    after = commit_with(process, "t.tree", rows_of(more))
    process.kill()
    process.stdin.close()
    process.wait()
    with open("before.tree", "wb") as f:
        f.write(before)
    wanted = answers("before.tree")
    same = next(i for i in range(len(before)) if before[i] != after[i])
    ends = [b[3] for b in blocks_of(after) if b[3] > same]
    cuts = sorted({same + 1, len(after) - 1} | set(rng.sample(ends, min(len(ends), runs // 2))) | {rng.randrange(same + 1, len(after)) for _ in range(runs)})[:runs]
    for cut in cuts:
        with open("torn.tree", "wb") as f:
            f.write(after[:cut] + before[cut:])
        seen = answers("torn.tree", (0, 1))
        if seen[0][:len(wanted[0])] != wanted[0] and not seen[0].startswith(wanted[0]):
            raise Differs("cut at %d: what was committed is not there" % cut)
        resume("torn.tree", described_at(cut, blocks_of(after), data, blocks), other, options, "cut at %d" % cut)
    print("%d torn commits" % len(cuts))


# Told to end: what was done so far counts.
def stop(number, frame):
    global stopping
    stopping = True


# The command.
def main(args):
    signal.signal(signal.SIGTERM, stop)
    try:
        if args[0] in ("pieces", "live"):
            {"pieces": pieces, "live": live}[args[0]](args[1], int(args[2]), int(args[3]), args[4:])
        else:
            {"kills": kills, "torn": torn}[args[0]](args[1], args[2], int(args[3]), int(args[4]), args[5:])
    except Differs as why:
        print("follow: %s (%s)" % (why, os.getcwd()))
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
