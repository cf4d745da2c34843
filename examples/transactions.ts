/** Transactions signed, called without a signature, and simulated; and listening to what they do. */
import { Engine } from 'movelet';

await using engine = await Engine.open();
const [alice, bob] = engine.accounts;
if (alice === undefined || bob === undefined) throw new Error('the local chain has funded accounts');
const transfer = {
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [bob.address, 1_000n],
};

engine.on('transaction', ({ order, executionInfo }) => console.log(`order ${order}: ${executionInfo.status.kind}`));

// What it would do, before signing.
console.log(`a transfer takes ${engine.simulate({ sender: alice.address, action: transfer }).gasUsed} units of gas`);

const receipt = await engine.execute(alice.signTransaction(transfer));
console.log(`${receipt.hash} emitted ${receipt.events.length} events`);

// As any account, without its key. An aborted transaction is kept, with its reason in words.
const failed = await engine.executeAs(alice.address, { ...transfer, arguments: [bob.address, 2n ** 200n] });
console.log(failed.failure?.message);

// Every test gets its own chain: a fork takes microseconds.
await using fork = engine.fork();
await fork.executeAs(bob.address, { ...transfer, arguments: [alice.address, 5n] });
console.log(`the fork is at order ${fork.head.order}, the engine at ${engine.head.order}`);
