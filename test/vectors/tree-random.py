#!/usr/bin/env python3
"""Writes tree-random.json and accumulator-random.json beside this file: random histories, run through the independent
model of the state layer (rooch_state.py, in the folder `shared/tools` beside the checkout or in $MOVELET_SHARED).

usage: python3 test/vectors/tree-random.py

The model applies entries one by one on a physical tree and is checked here against its own pure definition. Sets of
nodes and proofs are kept as digests (H, the tree's tagged hash) of their bytes in a stated order.
"""
import json, os, random, sys

here = os.path.dirname(os.path.abspath(__file__))
shared = os.environ.get("MOVELET_SHARED") or os.path.join(here, "..", "..", "..", "shared")
sys.path.insert(0, os.path.join(shared, "tools"))
from rooch_state import *

rnd = random.Random(20240517)


def reachable(tree, root):
    """hash -> bytes of every node under root"""
    nodes, todo = {}, [] if root == SMT_PLACEHOLDER else [root]
    while todo:
        h = todo.pop()
        nodes[h] = tree.s[h]
        node = tree.node(h)
        if node[0] == "internal":
            todo += [child for child, _ in node[1].values()]
    return nodes


def nodes_digest(nodes):
    """H of hash || bytes of each node, ascending by hash"""
    return smt_hash(b"".join(h + nodes[h] for h in sorted(nodes))).hex()


def proof_digest(leaf, siblings):
    """H of the leaf (00, or 01 || key || value hash) and the siblings, deepest first"""
    return smt_hash((b"\0" if leaf is None else b"\1" + leaf[0] + leaf[1]) + b"".join(siblings)).hex()


def random_key(kind):
    if kind == "spread":
        return rnd.randbytes(32)
    if kind == "narrow":  # few distinct first nibbles, zeros after: branches fill up
        return bytes([rnd.randrange(256), rnd.randrange(4) << 4]) + bytes(30)
    # deep: long shared prefixes that part at any nibble
    key = bytearray(rnd.choice([b"\0" * 32, b"\xff" * 32, b"\x5a" * 32]))
    at = rnd.randrange(64)
    for i in range(at, min(at + rnd.randrange(1, 4), 64)):
        nibble = rnd.randrange(16)
        key[i >> 1] = (key[i >> 1] & 0x0F) | nibble << 4 if i % 2 == 0 else (key[i >> 1] & 0xF0) | nibble
    return bytes(key)


def random_value():
    length = rnd.choice([0, 1, 8, 20, 63, 65, 130]) if rnd.random() < 0.2 else rnd.randrange(1, 12)
    return rnd.randbytes(length)


def history(kind, batches, size):
    tree, root, items, steps = SMT(NodeStore()), SMT_PLACEHOLDER, {}, []
    for _ in range(batches):
        batch = {}
        for _ in range(rnd.randrange(1, size)):
            known = items and rnd.random() < 0.5
            key = rnd.choice(sorted(items)) if known else random_key(kind)
            batch[key] = None if rnd.random() < (0.5 if known else 0.05) else random_value()
        before, old = root, reachable(tree, root)
        root = tree.update(root, batch)
        for key, value in batch.items():
            items.pop(key, None)
            if value is not None:
                items[key] = value
        assert root == smt_root_binary(items)
        assert dict(tree.iter(root)) == items
        new = reachable(tree, root)
        proofs = []
        for key in (rnd.sample(sorted(items), min(2, len(items))) + [random_key(kind), random_key(kind)]):
            value, leaf, siblings = tree.proof(root, key)
            verify_proof(root, key, value, leaf, siblings)
            proofs.append([key.hex(), value is not None, len(siblings), proof_digest(leaf, siblings)])
        start = random_key(kind)
        steps.append({
            "batch": [[k.hex(), None if v is None else v.hex()] for k, v in batch.items()],
            "root": root.hex(),
            "size": len(items),
            "fresh": nodes_digest({h: b for h, b in new.items() if h not in old}),
            "stale": nodes_digest({h: b for h, b in old.items() if h not in new}),
            "proofs": proofs,
            "from": [start.hex(), [k.hex() for k in sorted(items) if k >= start][:3]],
        })
    return {"kind": kind, "steps": steps}


def accumulators():
    acc, states = Accumulator(), []
    for n in range(300):
        if n < 40 or n % 37 == 0 or n in (127, 128, 129, 255, 256, 257):
            i = acc.info()
            states.append([n, i["accumulator_root"].hex(), smt_hash(b"".join(i["frozen_subtree_roots"])).hex(), i["num_nodes"]])
        acc.append(sha3(n.to_bytes(2, "little")))
    return states


histories = []
for _ in range(19):
    histories.append(history("spread", 6, 24))
    histories.append(history("narrow", 6, 40))
    histories.append(history("deep", 6, 24))
histories.append(history("spread", 3, 400))
histories.append(history("narrow", 3, 400))
with open(os.path.join(here, "tree-random.json"), "w") as out:
    json.dump(histories, out, separators=(",", ":"))
    out.write("\n")
with open(os.path.join(here, "accumulator-random.json"), "w") as out:
    json.dump({"leaf": "leaf i = sha3(i as u16, little endian)", "states": accumulators()}, out, separators=(",", ":"))
    out.write("\n")
