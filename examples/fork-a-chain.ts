/**
 * Forks of a live chain: an upgrade against its real state, a failed transaction with its trace, and what a transaction
 * would do to a wallet. The live chain is a node on another thread.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { Engine } from 'movelet';
import { compileSources } from 'movelet/compile';
import { createRpc, serveHttp } from 'movelet/rpc';

const GAS = '0x3::gas_coin::RGas';

/** A jar that takes coins up to a limit. */
const jar = (limit: number, more = ''): string => `
module owner::jar {
    use moveos_std::account;
    const ErrorFull: u64 = 7;
    struct Jar has key { held: u64 }
    fun init(owner: &signer) { account::move_resource_to(owner, Jar { held: 0 }); }
    public entry fun put(amount: u64) {
        let jar = account::borrow_mut_resource<Jar>(@owner);
        assert!(jar.held + amount <= ${limit}, ErrorFull);
        jar.held = jar.held + amount;
    }
    public fun held(): u64 { account::borrow_resource<Jar>(@owner).held }
    ${more}
}`;

/** The live chain: a jar has been filled almost to its limit, and one more transaction has failed. */
async function live(): Promise<void> {
  const engine = await Engine.open();
  const [alice, bob] = engine.accounts;
  const built = await compileSources({ 'jar.move': jar(100) }, { addresses: { owner: alice!.address } });
  await engine.publish(alice!, built);
  const put = (amount: bigint) => ({ function: `${alice!.address}::jar::put`, arguments: [amount] });
  for (let amount = 1n; amount <= 13n; amount++) await engine.executeAs(bob!, put(amount));
  const failed = await engine.executeAs(bob!, put(14n));
  const node = await serveHttp(createRpc(engine, { serveNodes: true }), { port: 0 });
  parentPort!.postMessage({ url: node.url, failed: failed.hash });
}

if (!isMainThread) await live();
else {
  const node = new Worker(new URL(import.meta.url));
  const [{ url, failed }] = (await once(node, 'message')) as [{ url: string; failed: string }];
  const cache = mkdtempSync(join(tmpdir(), 'movelet-forks-'));
  try {
    await upgrade(url, cache);
    await reproduce(url, cache, failed);
    await whatIf(url, cache);
  } finally {
    rmSync(cache, { recursive: true });
    await node.terminate();
  }
}

async function upgrade(url: string, cache: string): Promise<void> {
  // The live chain's state from here on, in memory; cache: where what is read is kept (default: with your other caches).
  const chain = await Engine.open({ fork: { url, cache } });
  const [alice, bob] = chain.accounts;
  assert.deepEqual(chain.view({ function: `${alice!.address}::jar::held` }), [91n]);

  // The new version, published as the owner without the owner's key; none of this reaches the live chain.
  const next = await compileSources({ 'jar.move': jar(1_000) }, { addresses: { owner: alice!.address } });
  (await chain.publish(alice!, next)).orThrow();
  const put = { function: `${alice!.address}::jar::put`, arguments: [14n] };
  (await chain.executeAs(bob!, put)).orThrow();
  assert.deepEqual(chain.view({ function: `${alice!.address}::jar::held` }), [105n]);

  // What the fork rests on.
  const { order, trust, verified } = chain.status().fork!;
  assert.deepEqual([order, trust, verified.state], [15n, 'remote', 'state root']);
  await chain.close();
}

async function reproduce(url: string, cache: string, hash: string): Promise<void> {
  const chain = await Engine.open({ fork: { url, cache } });
  const { order, executionInfo } = chain.transactions.get(hash)!;
  assert.equal(executionInfo.status.kind, 'move-abort');

  // The transaction and the state before it are fetched. It is run again here, and has to end as it did there.
  const trace = chain.trace(hash);
  assert.match(String(trace), /jar::put\(14\)/);
  assert.equal(trace.failure!.message.includes('jar'), true);

  // Or start just before it, and try what would have worked.
  const before = await Engine.open({ fork: { url, cache, at: order - 1n } });
  const [alice, bob] = before.accounts;
  const receipt = await before.executeAs(bob!, { function: `${alice!.address}::jar::put`, arguments: [9n] });
  assert.equal(receipt.status.kind, 'executed');
  await before.close();
  await chain.close();
}

async function whatIf(url: string, cache: string): Promise<void> {
  const chain = await Engine.open({ fork: { url, cache } });
  const [alice, bob] = chain.accounts;
  const transfer = { function: '0x3::transfer::transfer_coin', typeArguments: [GAS], arguments: [bob!.address, 500n] };

  // What the user is asked to sign: what would it do? Nothing is written, not even here.
  const receipt = chain.simulate({ sender: alice!, action: transfer });
  console.log(receipt);
  assert.equal(receipt.status.kind, 'executed');

  // Several in a row, each on the state that the one before it left.
  const fork = chain.fork();
  for (let made = 0; made < 3; made++) (await fork.executeAs(alice!, transfer)).orThrow();
  assert.equal(fork.balance(bob!) - chain.balance(bob!), 1_500n);
  await fork.close();
  await chain.close();
}
