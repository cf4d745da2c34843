/**
 * What a chain remembers: reads at any earlier state, the differences between two states, the versions of an object and
 * who made them, and proofs for anyone who trusts a root but not the node.
 */
import assert from 'node:assert/strict';
import { Engine } from 'movelet';
import {
  decodeProof,
  encodeProof,
  proofOfJson,
  verifyEventProof,
  verifyStateProof,
  verifyTransactionProof,
} from 'movelet/proof';
import { createRpc } from 'movelet/rpc';

const GAS = '0x3::gas_coin::RGas';
const engine = await Engine.open();
const [alice, bob] = engine.accounts as [(typeof engine.accounts)[0], (typeof engine.accounts)[0]];
const receipt = await engine.execute(
  alice.signTransaction({
    function: '0x3::transfer::transfer_coin',
    typeArguments: [GAS],
    arguments: [bob.address, 1_000n],
  }),
);

// Any earlier state, by its order or its root.
const before = engine.at(receipt.order - 1n);
assert.equal(before.balances.get(bob.address, GAS).balance, 100_000_000_000_000n);
assert.equal(engine.balances.get(bob.address, GAS).balance, 100_000_000_001_000n);
assert.throws(() => before.events, /comes from an index, which covers only the head/);

const rpc = createRpc(engine);
const then = await rpc.request('chain_getBalance', [bob.address, GAS, { order: '0' }]);
assert.equal(then.balance, '100000000000000');

// The differences, as data and as text.
const diff = engine.at(receipt.order - 1n).diff(engine.at(receipt.order));
const account = diff.changes.find(({ id }) => id === alice.address);
assert.deepEqual(account?.members, [{ path: 'value.sequence_number', before: 0n, after: 1n }]);
assert.equal(
  String(account),
  `~ 0x2::account::Account 0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b
    value.sequence_number: 0 -> 1`,
);
console.log(String(diff).split('\n')[0]);

const fork = engine.fork();
await fork.dev.mint(alice.address, 5n);
const [supply] = engine.diff(fork).changes;
assert.equal(supply!.type, '0x3::coin::CoinInfo<0x3::gas_coin::RGas>');
assert.deepEqual(supply!.members, [
  { path: 'value.supply', before: 1_000_000_000_000_000n, after: 1_000_000_000_000_005n },
]);
await fork.close();

// The versions of an object, and who wrote it last.
const object = `0x${'5a'.repeat(32)}`;
await engine.dev.setObject(object, {
  type: '0x2::timestamp::Timestamp',
  value: { milliseconds: 1n },
  owner: alice.address,
});
await engine.dev.setObject(object, { owner: bob.address });
const field = { keyType: 'u64', key: 7n, valueType: 'bool', value: true } as const;
const { order } = await engine.dev.setField(object, field);

const { data } = await engine.objects.history(object);
assert.deepEqual(
  data.map(({ change }) => change.kind),
  ['fields', 'modified', 'created'],
);
assert.equal(
  data[0]!.fields.map(String).join(),
  `+ field 7 of ${object}
    value: true`,
);
assert.equal((await engine.objects.blame(object))?.order, order - 1n);
const key = data[0]!.fields[0]!.key!;
assert.equal((await engine.objects.blame(object, key))?.order, order);
assert.deepEqual((await engine.objects.blame(object))?.transactionHash, engine.transactions.get(order - 1n)?.hash);

// The same over JSON-RPC.
const versions = await rpc.request('chain_getHistory', [object, null, 10, { fields: false }]);
assert.deepEqual(
  versions.data.map(({ change }) => (change as { text: string }).text.split('\n')[0]),
  [`~ 0x2::timestamp::Timestamp ${object}`, `+ 0x2::timestamp::Timestamp ${object}`],
);
const blamed = await rpc.request('chain_getBlame', [object, key]);
assert.equal(blamed.version?.['tx_order'], Number(order));
const changes = await rpc.request('chain_getDiff', [Number(order) - 1, Number(order), null, 10]);
assert.equal(changes.data.length, 1);

// Proofs: the node makes them; checking them does not need the node.
const { stateRoot, accumulator } = engine.head;
const proof = engine.proofs.object(object, key);
const shown = verifyStateProof(proof, stateRoot, object, key);
assert.equal(shown?.kind, 'present');
assert.equal(verifyStateProof(engine.proofs.object(object, '0x1'), stateRoot)?.kind, 'absent');

const bytes = encodeProof(proof);
const json = JSON.stringify(proof);
assert.equal(JSON.stringify(decodeProof(bytes)), json);
assert.equal(JSON.stringify(proofOfJson(json)), json);

const transaction = engine.proofs.transaction(receipt.hash);
assert.equal(verifyTransactionProof(transaction, accumulator)?.order, receipt.order);

const event = engine.proofs.event({ order: receipt.order, index: 0 });
const { eventRoot } = engine.transactions.get(receipt.order)!.executionInfo;
const { length: eventCount } = engine.events.ofTransaction(receipt.order);
const emitted = verifyEventProof(event, { eventRoot, eventCount });
assert.equal(emitted?.eventIndex, 0);

const answer = await rpc.request('chain_getProof', [{ tx_hash: receipt.hash }]);
assert.equal(JSON.stringify(answer.proof), JSON.stringify(transaction));

console.log(`${bytes.length} bytes prove a field under ${stateRoot}`);
await engine.close();
