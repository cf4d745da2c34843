/** A wallet around the engine. docs/embedding.md goes through this file. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { Engine, verifyStateProof } from 'movelet';
import { createRpc, servePort } from 'movelet/rpc';
import { bitcoinSigner, buildTransaction, callFunction } from 'movelet/transaction';

const RGAS = '0x3::gas_coin::RGas';
const directory = await mkdtemp(join(tmpdir(), 'wallet-'));

// The chain lives in its own directory. Only one process can hold it at a time; a second one is refused at once.
const engine = await Engine.open({
  store: directory,
  clock: 'system',
  log: ({ level, message }) => console.error(`${level}: ${message}`),
});
const rpc = createRpc(engine);

// The account of a Bitcoin key. The key never leaves the wallet: the engine only sees signatures.
const signer = bitcoinSigner('5d4f6e0a1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789');
const [faucet] = engine.accounts;
assert(faucet !== undefined);
await engine.executeAs(faucet.address, {
  function: '0x3::transfer::transfer_coin',
  typeArguments: [RGAS],
  arguments: [signer.address, 10_000_000_000n],
});

// What the window shows must be consistent: both are read from one commit, whatever is written meanwhile.
using chain = engine.at();
const coins = await chain.balances.list(signer.address);
const outputs = await chain.bitcoin.utxos({ kind: 'owner', owner: signer.address });
console.log(`${coins.data.length} coins, ${outputs.data.length} outputs of Bitcoin`);

// Called for every deposit, once it can be read and not before.
const stop = engine.on('event', ({ decoded }) => console.log('deposit', decoded), {
  kind: 'type',
  type: '0x3::multi_coin_store::DepositEvent',
});

// What it would cost, before asking the owner.
const payment = { function: '0x3::transfer::transfer_coin', typeArguments: [RGAS], arguments: ['0x42', 5_000n] };
const estimate = engine.simulate({ sender: signer.address, action: payment });
assert.equal(estimate.status.kind, 'executed');
console.log(`the payment takes ${estimate.gasUsed} units of gas`);

// Built, signed as a Bitcoin wallet signs, executed. The promise resolves when the receipt is on disk.
const abi = await rpc.request('rooch_getModuleABI', ['0x3', 'transfer']);
const [sequenceNumber] = engine.view({ function: '0x2::account::sequence_number', arguments: [signer.address] });
const transaction = buildTransaction({
  sender: signer.address,
  sequenceNumber: sequenceNumber as bigint,
  chainId: engine.chainId,
  maxGasAmount: estimate.gasUsed * 2n,
  action: callFunction(payment, abi),
});
const receipt = await engine.execute(signer.sign(transaction));
console.log(`order ${receipt.order}: ${receipt.status.kind}, ${receipt.gasUsed} units of gas`);

// A window in another process or thread speaks JSON-RPC over a MessagePort: no TCP port is open.
const { port1: here, port2: window } = new MessageChannel();
const served = servePort(rpc, here);
window.postMessage('{"jsonrpc":"2.0","id":1,"method":"chain_status","params":[]}');
await new Promise((resolve) => window.once('message', resolve));
await served.close();
window.close();

// Anyone who trusts nothing but the root can check what the wallet claims.
const proof = verifyStateProof(engine.proofs.object('0x2::timestamp::Timestamp'), receipt.stateRoot);
assert.equal(proof?.kind, 'present');

// Waits for what was submitted, then frees everything: nothing keeps the process alive.
stop();
await engine.close();
await rm(directory, { recursive: true });
