/**
 * Whoever has a submission's answer reads what it did: over whichever transport it was submitted, every query over any
 * transport includes it, whatever other clients write meanwhile; and listeners were told before.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { parseBitcoinHash } from '../../../src/bitcoin/index.ts';
import { type Account, Engine, type Receipt } from '../../../src/index.ts';
import { publishAction } from '../../../src/pipeline/publish.ts';
import { createRpc, serveHttp } from '../../../src/server/index.ts';
import { property } from '../../effort.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';
import { type Link, openLinks } from './links.ts';
import {
  expectRead,
  type Query,
  queriesOfBlock,
  queriesOfModule,
  queriesOfTransfer,
  type Recipient,
  type Written,
} from './queries.ts';

const directory = temporaryDirectories();

/** What a client does, one after the other. */
interface Step {
  readonly kind: 'transfer' | 'publish' | 'mine';
  /** Over which transport: the number of a link; one past the last is the engine itself. */
  readonly via: number;
  /** Signed, answered whole or with the hash alone; or by nobody. */
  readonly by: 'execute' | 'send' | 'call';
}

/** One write, in every way in which it can be submitted. */
interface Submission {
  readonly signed: () => Uint8Array;
  /** Over the wire, signed by nobody. */
  readonly call: readonly [method: string, ...params: unknown[]];
  readonly callInProcess: () => Promise<Receipt>;
}

const LINKS = 5;
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('transfer', 'transfer', 'publish', 'mine'),
    via: fc.nat({ max: LINKS }),
    by: fc.constantFrom('execute', 'send', 'call'),
  }),
  { minLength: 2, maxLength: 4 },
);

/** What listeners of the engine were told. */
class Told {
  readonly transactions = new Set<string>();
  readonly events = new Map<string, number>();
  order = 0n;

  constructor(engine: Engine) {
    engine.on('transaction', ({ hash }) => this.transactions.add(hash));
    engine.on('event', ({ txHash }) => {
      const hash = txHash;
      this.events.set(hash, (this.events.get(hash) ?? 0) + 1);
    });
    engine.on('head', ({ head }) => {
      this.order = head.order;
    });
  }
}

class Clients {
  readonly #engine: Engine;
  readonly #told: Told;
  /** Where to submit, and where to read: what waits on one connection does not hold up what is pushed on the other. */
  readonly #writers: readonly Link[];
  readonly #readers: readonly Link[];
  #serial = 0;

  constructor(engine: Engine, writers: readonly Link[], readers: readonly Link[]) {
    this.#engine = engine;
    this.#told = new Told(engine);
    this.#writers = writers;
    this.#readers = readers;
  }

  async run(account: Account, script: readonly Step[]): Promise<void> {
    for (const step of script) {
      const serial = ++this.#serial;
      switch (step.kind) {
        case 'mine':
          await this.#mine(account);
          break;
        case 'transfer': {
          const to = { address: `0x${(0xabcd_0000 + serial).toString(16).padStart(64, '0')}`, amount: BigInt(serial) };
          const written = await this.#submit(account, step, this.#transfer(account, to));
          await this.#readEverywhere(queriesOfTransfer(written, to), () => expectRead(this.#engine, written, to));
          break;
        }
        case 'publish': {
          const written = await this.#submit(account, step, this.#publish(account, `m${serial}`));
          const queries = queriesOfModule(written, `m${serial}`);
          await this.#readEverywhere(queries, () => expectRead(this.#engine, written));
        }
      }
    }
  }

  #transfer(account: Account, { address, amount }: Recipient): Submission {
    const name = '0x3::transfer::transfer_coin';
    const types = ['0x3::gas_coin::RGas'];
    const action = { function: name, typeArguments: types, arguments: [address, amount] };
    const call = { function_id: name, ty_args: types, arguments: [address, String(amount)] };
    return {
      signed: () => account.signTransaction(action),
      call: ['dev_call', String(account), call],
      callInProcess: () => this.#engine.executeAs(account.address, action),
    };
  }

  #publish(account: Account, name: string): Submission {
    const module = assembleModuleBytes(`module ${account}::${name}\npublic fun number(): u64 { LdU64 1; Ret }`);
    return {
      signed: () => account.signTransaction(publishAction([module])),
      call: ['dev_publish', String(account), [toHexPrefixed(module)]],
      callInProcess: () => this.#engine.publish(account.address, [module]),
    };
  }

  /** Submits, and checks what listeners had been told by the time of the answer. */
  async #submit(account: Account, { via, by }: Step, submission: Submission): Promise<Written> {
    const { signed, call, callInProcess } = submission;
    const link = this.#writers[via];
    const sender = String(account);
    if (link === undefined) {
      const { hash, order } = await (by === 'call' ? callInProcess() : this.#engine.execute(signed()));
      this.#expectTold(String(hash), order);
      return { hash: String(hash), order, sender };
    }
    const method = by === 'send' ? 'rooch_sendRawTransaction' : 'rooch_executeRawTransaction';
    const answer = await (by === 'call' ? link.ask(...call) : link.ask(method, toHexPrefixed(signed())));
    const hash =
      typeof answer === 'string' ? answer : (answer as { execution_info: { tx_hash: string } }).execution_info.tx_hash;
    const { order } = this.#engine.transactions.get(hash)!;
    this.#expectTold(hash, order);
    if (link.isPushed) this.#expectPushed(link, hash, order);
    return { hash, order, sender };
  }

  #expectPushed(link: Link, hash: string, order: bigint): void {
    const pushed = link.pushed.map(({ params }) => params.result);
    expect(pushed).toContainEqual(
      expect.objectContaining({ execution_info: expect.objectContaining({ tx_hash: hash }) }),
    );
    const events = pushed.filter((item) => (item as { tx_hash?: string }).tx_hash === hash);
    expect(events).toHaveLength(this.#engine.events.ofTransaction(order).length);
  }

  #expectTold(hash: string, order: bigint): void {
    const { transactions, events, order: head } = this.#told;
    expect(transactions).toContain(hash);
    expect(events.get(hash)).toBe(this.#engine.events.ofTransaction(order).length);
    expect(head).toBeGreaterThanOrEqual(order);
  }

  async #mine(account: Account): Promise<void> {
    const { height, hash, transactions } = await this.#engine.dev.mine({ to: account.bitcoin });
    const txid = transactions[0]!.txid;
    await this.#readEverywhere(queriesOfBlock(account.bitcoin, parseBitcoinHash(txid)), () => {
      expect(this.#engine.bitcoin.block(height)).toMatchObject({ blockHash: hash });
      expect(this.#engine.bitcoin.utxo({ txid, vout: 0 })).toBeDefined();
    });
  }

  /** Every query over every transport at once, and in process. */
  async #readEverywhere(queries: readonly Query[], inProcess: () => void | Promise<void>): Promise<void> {
    const asked = this.#readers.flatMap((link) =>
      queries.map(async ({ ask: [method, ...params], check }) => {
        check(await link.ask(method, ...params));
      }),
    );
    await Promise.all([inProcess(), ...asked]);
  }
}

async function play(store: 'memory' | 'fsync' | 'os', scripts: readonly (readonly Step[])[]): Promise<void> {
  const durability = store === 'memory' ? undefined : store;
  await using engine = await Engine.open(durability === undefined ? {} : { store: directory(), durability });
  const rpc = createRpc(engine, { dev: true });
  const server = await serveHttp(rpc, { port: 0 });
  const [writers, readers] = [await openLinks(rpc, server.url), await openLinks(rpc, server.url)];
  expect(writers.links).toHaveLength(LINKS);
  try {
    for (const link of writers.links.filter(({ isPushed }) => isPushed)) {
      await link.ask('rooch_subscribeTransactions', 'all');
      await link.ask('rooch_subscribeEvents', 'all');
    }
    const clients = new Clients(engine, writers.links, readers.links);
    await Promise.all(scripts.map((script, index) => clients.run(engine.accounts[index]!, script)));
  } finally {
    await Promise.all([writers.close(), readers.close()]);
    await server.close();
  }
}

it('whoever has an answer can read what was written, everywhere', async () => {
  const scripts = fc.array(steps, { minLength: 2, maxLength: 5 });
  await fc.assert(fc.asyncProperty(fc.constantFrom('memory', 'fsync', 'os'), scripts, play), property(2, 60));
});
