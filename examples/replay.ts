/**
 * A run recorded and replayed: to its end, to any order, and what happens when it diverges.
 */

import assert from 'node:assert/strict';
import { Engine, record, replay } from 'movelet';

const COIN = '0x3::gas_coin::RGas';

const engine = await Engine.open();
const recording = record(engine);

const [alice, bob] = engine.accounts;
const before = engine.snapshot();
await engine.dev.mint('0x42', 1_000n); // order 1
await engine.revert(before); // back to order 0
await engine.execute(
  alice!.signTransaction({
    function: '0x3::transfer::transfer_coin',
    typeArguments: [COIN],
    arguments: [bob!.address, 5n],
  }),
); // order 1 again
await engine.dev.mine({ to: bob! }); // orders 2 and 3
await engine.dev.time.advance(86_400_000n); // order 4

const file = await recording.bytes();
console.log(`${recording.inputs} inputs, ${file.length} bytes`); // 5 inputs, 6663 bytes
assert.equal(recording.inputs, 5);
assert.equal(file.length, 6663);

const again = await replay(file);
assert.deepEqual(again.head, engine.head);

// The chain as it was after order 1. It continues from there, with views, transactions and everything else.
const early = await replay(file, { to: 1n });
assert.equal(early.head.order, 1n);
await early.executeAs(bob!.address, { function: '0x3::empty::empty' });

// A fork of a recorded chain is recorded too, from the same beginning.
const fork = engine.fork();
await fork.dev.mint('0x43', 1n);
const ofFork = await replay(await record(fork).bytes());
assert.equal(ofFork.head.order, 5n);

// A file that was changed is refused. So is a run that diverges, at the first order where it does.
const changed = file.slice();
changed[file.length - 2_000]! ^= 1;
await assert.rejects(replay(changed), /the recorded run was changed: frame \d/);

for (const each of [engine, again, early, fork, ofFork]) await each.close();
