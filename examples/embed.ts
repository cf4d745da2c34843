/**
 * A node inside a program: open it, read, call the methods that a client would call, fork.
 */
import assert from 'node:assert/strict';
import { DEV_ACCOUNTS, Engine } from 'movelet';
import { createRpc } from 'movelet/rpc';

const engine = await Engine.open();
const [alice] = DEV_ACCOUNTS;
assert(alice !== undefined);

// Reads at the head are synchronous: nothing to await, nothing to poll.
const { balance, info } = engine.balances.get(alice.address, '0x3::gas_coin::RGas');
console.log(`${alice.address} holds ${balance} of ${info.symbol}`);

// The same through JSON-RPC, without a socket.
const rpc = createRpc(engine);
const answer = await rpc.request('chain_getBalance', [alice.regtestAddress, '0x3::gas_coin::RGas']);
console.log('over JSON-RPC', answer);

// Several reads of one commit, whatever is committed meanwhile. Results print, and become JSON, as people write them.
using chain = engine.at();
const coins = await chain.balances.list(alice.address);
const objects = await chain.objects.list({ kind: 'owner', owner: alice.address });
console.log(JSON.stringify(coins), `${objects.data.length} objects`);

// A fork is another engine that starts here; it takes microseconds and shares everything that does not differ.
const fork = engine.fork();
assert.deepEqual(fork.head.stateRoot, engine.head.stateRoot);
await fork.close();
await engine.close();
