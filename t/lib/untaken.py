# SPDX-License-Identifier: MIT
# untaken.py COUNT: random graphs in graph-N, walks over each in walks-N, and in want-N its prime paths that no walk goes
# along, found by listing all simple paths and rounds.
import random
import sys


def make_graph(chance):
    """Blocks 0..n-1 in a line, so that each is on a way from the first to the last, and some edges more."""
    n = chance.randrange(2, 8)
    edges = {b: {b + 1} for b in range(n - 1)}
    edges[n - 1] = set()
    for _ in range(chance.randrange(0, 2 * n)):
        a, b = chance.randrange(n - 1), chance.randrange(1, n)
        edges[a].add(b)
    return n, {b: sorted(to) for b, to in edges.items()}


def simple_paths(edges):
    """All paths without a block twice, and all rounds: those that end where they began."""
    found = []

    def extend(path):
        found.append(tuple(path))
        for to in edges[path[-1]]:
            if to == path[0]:
                found.append(tuple(path) + (to,))
            elif to not in path:
                extend(path + [to])

    for block in edges:
        extend([block])
    return found


def is_part(part, whole):
    return any(whole[i:i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def walk(chance, n, edges):
    path = [0]
    while path[-1] != n - 1:
        path.append(chance.choice(edges[path[-1]]) if len(path) < 30 else path[-1] + 1)
    return tuple(path)


for number in range(int(sys.argv[1])):
    chance = random.Random(number)
    n, edges = make_graph(chance)
    with open(f"graph-{number}", "w") as out:
        print(f"function: f{number}\nentry: b0\nexit: b{n - 1}\nblocks:", file=out)
        for block in edges:
            print(f"  - {{id: b{block}, succ: [{', '.join(f'b{to}' for to in edges[block])}]}}", file=out)
    walks = [walk(chance, n, edges) for _ in range(chance.randrange(1, 4))]
    with open(f"walks-{number}", "w") as out:
        for path in walks:
            print("> 1", *(f"b{block}" for block in path), "<", sep="\n", file=out)
    paths = simple_paths(edges)
    prime = [p for p in paths if not any(p != other and is_part(p, other) for other in paths)]
    with open(f"want-{number}", "w") as out:
        for path in sorted(" ".join(f"b{block}" for block in p) for p in set(prime) if not any(is_part(p, w) for w in walks)):
            print(path, file=out)
