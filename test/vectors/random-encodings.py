#!/usr/bin/env python3
"""Writes random-encodings.json: random values of the low floors, with the bytes and hashes that an independent model of
the reference network (rooch_state.py, written from the specification and checked against its released data) gives them.

usage: python3 random-encodings.py FOLDER_OF_ROOCH_STATE > random-encodings.json
A value is written in the shapes of src: "0x.." is bytes, "12n" a bigint, null is undefined.
"""
import json, random, string, sys

sys.path.insert(0, sys.argv[1])
import rooch_state as model

random.seed(20240710)
COUNT = 18
PRIMITIVES = ["bool", "u8", "u64", "u128", "address", "signer", "u16", "u32", "u256"]

hexed = lambda b: "0x" + b.hex()
big = lambda n: "%dn" % n
raw = lambda n: random.randbytes(n)
some_bytes = lambda: raw(random.choice([0, 1, 2, 31, 127, 128]))
u64 = lambda: random.choice([0, 1, 255, 2**32, 2**63, 2**64 - 1, random.randrange(2**64)])
u16 = lambda: random.choice([0, 255, 256, 65535, random.randrange(65536)])


def name():
    head = random.choice(string.ascii_letters + "_")
    return head + "".join(random.choices(string.ascii_letters + string.digits + "_", k=random.randrange(1, 20)))


def address():
    return random.choice([lambda: model.addr("0x%x" % random.randrange(16)), lambda: raw(32)])()


def type_tag(depth=3):
    kind = random.choice(PRIMITIVES + 2 * ["vector"] + 4 * ["struct"] if depth else PRIMITIVES)
    if kind == "vector":
        return (kind, type_tag(depth - 1))
    return (kind, struct_tag(depth - 1)) if kind == "struct" else (kind,)


def struct_tag(depth=2):
    return model.st(address(), name(), name(), *[type_tag(depth) for _ in range(random.choice([0, 0, 1, 2, 3]) if depth else 0)])


def show_type(t):
    if t[0] == "vector":
        return {"kind": "vector", "item": show_type(t[1])}
    return {"kind": "struct", "struct": show_struct(t[1])} if t[0] == "struct" else {"kind": t[0]}


def show_struct(s):
    return {"address": hexed(s["address"]), "module": s["module"], "name": s["name"],
            "typeArguments": [show_type(t) for t in s["type_params"]]}


def object_id(depth):
    return [raw(32) for _ in range(depth)]


def meta(path):
    return {"id": path, "owner": address(), "flag": random.randrange(4), "state_root": random.choice([None, raw(32)]),
            "size": u64(), "created_at": u64(), "updated_at": u64(), "object_type": ("struct", struct_tag())}


def show_meta(m):
    return {"id": [hexed(part) for part in m["id"]], "owner": hexed(m["owner"]), "flag": m["flag"],
            "stateRoot": m["state_root"] and hexed(m["state_root"]), "size": big(m["size"]),
            "createdAt": big(m["created_at"]), "updatedAt": big(m["updated_at"]),
            "objectType": show_struct(m["object_type"][1])}


def change(path, depth):
    kind = random.choice(["new", "modify", "delete", None])
    value = kind and ((kind, some_bytes()) if kind != "delete" else (kind,))
    return {"metadata": meta(path), "value": value, "fields": changes(path, depth)}


def changes(path, depth):
    keys = [raw(32) for _ in range(random.randrange(3) if depth else 0)]
    return {key: change(path + [key], depth - 1) for key in keys}


def show_changes(fields):
    return [[hexed(key), {"meta": show_meta(c["metadata"]), "value": c["value"] and show_value(c["value"]),
                          "fields": show_changes(c["fields"])}] for key, c in sorted(fields.items())]


def show_value(op):
    return {"kind": op[0], "value": hexed(op[1])} if len(op) == 2 else {"kind": op[0]}


def action(kind):
    tags, arguments = [type_tag() for _ in range(random.randrange(3))], [some_bytes() for _ in range(random.randrange(4))]
    shown = {"typeArguments": [show_type(t) for t in tags], "arguments": [hexed(a) for a in arguments]}
    if kind == "Script":
        code = some_bytes()
        return (kind, code, tags, arguments), {"kind": "script", "code": hexed(code), **shown}
    if kind == "Function":
        owner, module, function = address(), name(), name()
        called = {"address": hexed(owner), "module": module, "name": function}
        return (kind, owner, module, function, tags, arguments), {"kind": "function", "function": called, **shown}
    return (kind, arguments), {"kind": "modules", "modules": shown["arguments"]}


def transaction(kind):
    asked, shown = action(kind)
    data = {"sender": address(), "sequence_number": u64(), "chain_id": u64(), "max_gas_amount": u64(), "action": asked}
    signed = {"data": data, "auth_validator_id": u64(), "auth_payload": some_bytes()}
    return {"bcs": hexed(model.w_rooch_tx(signed)), "dataBcs": hexed(model.w_rooch_tx_data(data)),
            "hash": hexed(model.sha3(model.w_rooch_tx_data(data))),
            "value": {"data": {"sender": hexed(data["sender"]), "sequenceNumber": big(data["sequence_number"]),
                               "chainId": big(data["chain_id"]), "maxGasAmount": big(data["max_gas_amount"]), "action": shown},
                      "authenticator": {"validatorId": big(signed["auth_validator_id"]), "payload": hexed(signed["auth_payload"])}}}


def status(number):
    place = random.choice([None, (address(), name())])
    shown = {"kind": "script"} if place is None else {"kind": "module", "address": hexed(place[0]), "name": place[1]}
    code, function, offset = u64(), u16(), u16()
    return [(("Executed",), {"kind": "executed"}), (("OutOfGas",), {"kind": "out-of-gas"}),
            (("MoveAbort", place, code), {"kind": "move-abort", "location": shown, "code": big(code)}),
            (("ExecutionFailure", place, function, offset),
             {"kind": "execution-failure", "location": shown, "function": function, "codeOffset": offset}),
            (("MiscellaneousError",), {"kind": "miscellaneous-error"})][number % 5]


def execution_info(number):
    kept, shown = status(number)
    info = {"tx_hash": raw(32), "state_root": raw(32), "size": u64(), "event_root": raw(32), "gas_used": u64(), "status": kept}
    return {"bcs": hexed(model.w_execution_info(info)), "id": hexed(model.execution_info_id(info)),
            "value": {"txHash": hexed(info["tx_hash"]), "stateRoot": hexed(info["state_root"]), "size": big(info["size"]),
                      "eventRoot": hexed(info["event_root"]), "gasUsed": big(info["gas_used"]), "status": shown}}


def sequence_info():
    info = {"tx_order": u64(), "tx_order_signature": some_bytes(), "tx_accumulator_root": raw(32), "tx_timestamp": u64(),
            "frozen_subtree_roots": [raw(32) for _ in range(random.randrange(4))], "num_leaves": u64(), "num_nodes": u64()}
    return {"bcs": hexed(model.w_sequence_info(info)),
            "value": {"txOrder": big(info["tx_order"]), "txOrderSignature": hexed(info["tx_order_signature"]),
                      "txAccumulatorRoot": hexed(info["tx_accumulator_root"]), "txTimestamp": big(info["tx_timestamp"]),
                      "txAccumulatorFrozenSubtreeRoots": [hexed(root) for root in info["frozen_subtree_roots"]],
                      "txAccumulatorNumLeaves": big(info["num_leaves"]), "txAccumulatorNumNodes": big(info["num_nodes"])}}


def of_type_tag(t):
    return {"bcs": hexed(model.w_type_tag(t)), "canonical": model.canon_type(t), "value": show_type(t)}


def of_object(path):
    m, value = meta(path), some_bytes()
    state = model.w_object_state(m, value)
    return {"bcs": hexed(state), "metaBcs": hexed(model.w_object_meta(m)),
            "leafHash": path and hexed(model.leaf_hash(path[-1], state)),
            "value": {"meta": show_meta(m), "value": hexed(value)}}


def of_change_set():
    s = {"state_root": raw(32), "global_size": u64(), "changes": changes([], 3)}
    return {"bcs": hexed(model.w_state_change_set(s)),
            "value": {"stateRoot": hexed(s["state_root"]), "globalSize": big(s["global_size"]), "changes": show_changes(s["changes"])}}


def of_ids():
    tag, owner, id_bytes, counter, key_type = struct_tag(), address(), some_bytes(), u64(), type_tag()
    text = random.choice(["", "a", "x" * 127, "x" * 128, "\u00e9\u4e16\U0001f600"]) + name()
    return {"tag": show_struct(tag), "owner": hexed(owner), "idBytes": hexed(id_bytes), "counter": big(counter),
            "keyType": show_type(key_type), "text": text,
            "named": hexed(model.named_object_id(tag)[0]), "accountNamed": hexed(model.account_named_object_id(owner, tag)[0]),
            "custom": hexed(model.custom_object_id(id_bytes, tag)[0]), "fresh": hexed(model.fresh_object_id(owner, counter)[0]),
            "fieldKey": hexed(model.field_key(id_bytes, key_type)), "stringFieldKey": hexed(model.field_key_string(text)),
            "resourceFieldKey": hexed(model.resource_key(tag))}


json.dump({
    "source": "random-encodings.py over ../shared/tools/rooch_state.py",
    "typeTags": [of_type_tag(("struct", struct_tag(5))) for _ in range(COUNT)] + [of_type_tag((kind,)) for kind in PRIMITIVES],
    "objects": [of_object(object_id(n % 4)) for n in range(COUNT)],
    "changeSets": [of_change_set() for _ in range(10)],
    "transactions": [transaction(["Script", "Function", "ModuleBundle"][n % 3]) for n in range(COUNT)],
    "executionInfos": [execution_info(n) for n in range(15)],
    "sequenceInfos": [sequence_info() for _ in range(8)],
    "ids": [of_ids() for _ in range(COUNT)],
}, sys.stdout, separators=(",", ":"), ensure_ascii=True)
sys.stdout.write("\n")
