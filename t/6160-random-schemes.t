#!/bin/sh
# SPDX-License-Identifier: MIT
# Random schemes on random samples: each group has by itself and with its subgroups what some lines of Python count by the rules of stkscheme(5).
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

cat >count.py <<'END'
"""count.py SEED: writes in.txt (as perf prints samples), scheme.yaml, and want.tsv: what each group should have of them"""
import json, random, re, sys
chance = random.Random(int(sys.argv[1]))
names = [".".join(chance.choice("abc") for _ in range(chance.randint(1, 3))) for _ in range(14)]
modules = ["/lib/libx.so", "/lib/liby.so.2", "/bin/app"]

# --- patterns ---

def expression(pattern):
    if len(pattern) > 1 and pattern[0] == pattern[-1] == "/":
        return re.compile(".*(%s).*" % pattern[1:-1])
    if "{" in pattern:
        first, rest = pattern.split("{")
        middle, last = rest.split("}")
        return re.compile("|".join(expression(first + one + last).pattern for one in middle.split(",")))
    text, at = "", 0
    while at < len(pattern):
        stars = len(pattern[at:]) - len(pattern[at:].lstrip("*"))
        if stars:
            ends = at == 0 or at + stars == len(pattern)
            text, at = text + (".*" if ends or stars > 1 else "[^./:]*"), at + stars
        else:
            text, at = text + re.escape(pattern[at]), at + 1
    return re.compile(text)

def some_pattern():
    name = chance.choice(names)
    at = chance.randrange(len(name))
    return chance.choice([name, name, name[:at + 1] + "*", "*" + name[at:], name[:at] + "*" + name[at + 1:], name[:at] + "**" + name[at + 1:],
                          "{%s,%s}" % (name, chance.choice(names)), "/^" + re.escape(name[:at + 1]) + "/", "/" + re.escape(name[at:]) + "$/"])

def fits(patterns, name):
    return any(expression(p).fullmatch(name) for p in (patterns if isinstance(patterns, list) else [patterns]))

# --- schemes ---

def some_member():
    kind = chance.randrange(6)
    if kind == 0:
        return some_pattern()
    if kind == 1:
        return [some_pattern(), some_pattern()]
    if kind == 2:
        atoms = [some_pattern()]
        for _ in range(chance.randint(1, 3)):
            atoms += ["..."] * (chance.random() < 0.5) + [some_pattern()]
        return {"stack": atoms}
    member = {"method": chance.choice([some_pattern(), "*"])}
    if kind == 3:
        member["module"] = chance.choice(["*libx.so", "/lib/*", "*.so*", "/*/app", "*/libx.so"])
    else:
        member[chance.choice(["caller", "callee", "under", "over"])] = some_pattern()
    return member

groups = []			# (path, parent's place or None, priority, exclusive, members), parents first

def some_groups(parent, path, depth):
    exclusive = chance.random() < 0.3
    rows = []
    for n in range(chance.randint(1, 4 if depth == 0 else 3)):
        row = {"name": "g%d" % n}
        if chance.random() < 0.2:
            row["priority"] = chance.randint(-2, 2)
        row["members"] = [some_member() for _ in range(chance.randint(0, 2))]
        place = len(groups)
        groups.append((path + row["name"], parent, row.get("priority", 0), exclusive, row["members"]))
        if depth < 2 and chance.random() < 0.5:
            row.update(some_groups(place, path + row["name"] + "/", depth + 1))
        rows.append(row)
    return {("siblings" if exclusive else "children") if depth else ("siblings" if exclusive else "groups"): rows}

def sequence_fits(atoms, stack, at):
    if len(atoms) == 0:
        return True
    if atoms[-1] == "...":
        return any(sequence_fits(atoms[:-1], stack, before) for before in range(at + 1))
    return at >= 0 and fits(atoms[-1], stack[at][0]) and sequence_fits(atoms[:-1], stack, at - 1)

def member_fits(member, stack, at):
    if not isinstance(member, dict):
        return fits(member, stack[at][0])
    if "stack" in member:
        return sequence_fits(member["stack"], stack, at)
    before, after = [f[0] for f in stack[:at]], [f[0] for f in stack[at + 1:]]
    return fits(member["method"], stack[at][0]) and ("module" not in member or fits(member["module"], stack[at][1])) \
        and ("caller" not in member or fits(member["caller"], before[-1]) if before else "caller" not in member) \
        and ("callee" not in member or fits(member["callee"], after[0]) if after else "callee" not in member) \
        and ("under" not in member or any(fits(member["under"], f) for f in before)) \
        and ("over" not in member or any(fits(member["over"], f) for f in after))

# --- attribution ---

def line_of(group):		# itself and what contains it, from the top
    return ([] if groups[group][1] is None else line_of(groups[group][1])) + [group]

def exclude(a, b):
    for x, y in zip(line_of(a), line_of(b)):
        if x != y:
            return groups[x][3] and groups[y][3]
    return False

def groups_of(stack):
    outside = [at for at in range(len(stack)) if not fits(libraries, stack[at][0])]
    claims = [(at, g) for at in outside for g, group in enumerate(groups) if any(member_fits(m, stack, at) for m in group[4])]
    if not claims:
        return []
    most = max(groups[g][2] for _, g in claims)
    claims = [c for c in claims if groups[c[1]][2] == most]
    claims = [c for c in claims if not any(o[1] != c[1] and c[1] in line_of(o[1]) for o in claims)]
    nearest, won = max(at for at, _ in claims), []
    for g in sorted({g for at, g in claims if at == nearest}):
        if not any(exclude(g, w) for w in won):
            won.append(g)
    return won

scheme = some_groups(None, "", 0)
libraries = [some_pattern() for _ in range(chance.choice([0, 0, 1, 2]))]
json.dump(dict(scheme, scheme="random", libraries=libraries), open("scheme.yaml", "w"))
own, total, none = [[0, 0] for _ in groups], [0 for _ in groups], [0, 0]
with open("in.txt", "w") as out:
    for n in range(300):
        stack = [(chance.choice(names), chance.choice(modules)) for _ in range(chance.randint(1, 7))]
        ns = chance.choice([1000000, 2000000, 5000000])
        out.write("t 1/1 %d.%06d: %d cpu-clock:\n%s\n" % (n // 100, n % 100 * 10000, ns, "".join("\t1 %s (%s)\n" % f for f in reversed(stack))))
        won = groups_of(stack)
        for g in won:
            own[g] = [own[g][0] + 1, own[g][1] + ns]
        for g in {a for w in won for a in line_of(w)}:
            total[g] += 1
        if not won:
            none = [none[0] + 1, none[1] + ns]
with open("want.tsv", "w") as out:
    for g, group in enumerate(groups):
        if total[g]:
            out.write("%s\t%d\t%d\t%.6f\t%d\n" % (group[0], *own[g], own[g][1] / 1e9, total[g]))
    if none[0]:
        out.write("(none)\t%d\t%d\t%.6f\t%d\n" % (*none, none[1] / 1e9, none[0]))
END

# random FIRST LAST: seeds
random() {
	first=$1 last=$2
	check "seeds $first to $last" '
		for seed in $(seq $first $last); do
			python3 count.py $seed
			stkcap -q -o in.stk in.txt
			stkgroup -q -s scheme.yaml -f tsv in.stk | awk -F "\t" -v OFS="\t" "NR > 1 { print \$2, \$3, \$4, sprintf(\"%.6f\", \$6), \$7 }" >got
			same want.tsv got || { echo "seed $seed"; cat scheme.yaml; false; }
		done
	'
}
random 1 10
random 11 20
random 21 "${RANDOM_SCHEMES:-30}"
finish
