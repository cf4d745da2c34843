/**
 * One client that asks for hundreds of dry runs at once over stdio or a message port, where the node has no listener that
 * could refuse it: few are at work at a time, each is answered, and everybody else is served long before the last.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { IN_FLIGHT_REQUESTS_MAX } from '../../../src/base/config.ts';
import { Engine } from '../../../src/index.ts';
import { transactionData } from '../../../src/query/transaction-builder.ts';
import { createRpc, type Rpc, type RpcHandler, serveHttp, servePort, serveStdio } from '../../../src/server/index.ts';
import { payment } from '../../payment.ts';
import { request } from './echo-handler.ts';
import { openLinks } from './links.ts';

const FLOOD = 2 * IN_FLIGHT_REQUESTS_MAX;
const COIN = '0x3::gas_coin::RGas';

/** An adapter that counts what one client has asked, and calls `onFirst` when the first of it is answered. */
class Counted implements RpcHandler {
  atWork = 0;
  atWorkSeen = 0;
  answered = 0;
  readonly #rpc: Rpc;
  readonly #onFirst: () => void;

  constructor(rpc: Rpc, onFirst: () => void) {
    this.#rpc = rpc;
    this.#onFirst = onFirst;
  }

  async handle(...[text, context]: Parameters<Rpc['handle']>): Promise<string | undefined> {
    this.atWorkSeen = Math.max(this.atWorkSeen, ++this.atWork);
    const answer = await this.#rpc.handle(text, context);
    this.atWork--;
    if (++this.answered === 1) this.#onFirst();
    return answer;
  }
}

/** Asks for all of it at once, and gives the answers. */
const floods: Readonly<Record<string, (handler: RpcHandler, flood: readonly string[]) => Promise<readonly string[]>>> =
  {
    stdio: async (handler, flood) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const server = serveStdio(handler, { input, output });
      const chunks: Buffer[] = [];
      output.on('data', (chunk: Buffer) => chunks.push(chunk));
      input.end(`${flood.join('\n')}\n`);
      await server.ended;
      return Buffer.concat(chunks).toString().trim().split('\n');
    },
    'a message port': async (handler, flood) => {
      const { port1, port2 } = new MessageChannel();
      const server = servePort(handler, port2);
      const answers: string[] = [];
      port1.on('message', (text: string) => answers.push(text));
      for (const text of flood) port1.postMessage(text);
      while (answers.length < flood.length) await once(port1, 'message');
      await server.close();
      port1.close();
      return answers;
    },
  };

describe('a flood of dry runs', () => {
  it.each([
    ['stdio', "on the engine's thread", 0],
    ['a message port', 'on a worker thread', 1],
  ])('over %s leaves others served: %s', async (name, _, workers) => {
    await using engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    const transfer = payment(bob!.address);
    const data = `0x${Buffer.from(encode(transactionData, alice!.transaction(transfer))).toString('hex')}`;
    const rpc = createRpc(engine, { workers });
    const listener = await serveHttp(rpc, { port: 0 });
    const { links, close } = await openLinks(rpc, listener.url);
    let others: Promise<readonly (readonly [string, number])[]> | undefined;
    const counted = new Counted(rpc, () => {
      others = Promise.all(
        links.map(async (link) => {
          await link.ask('chain_getBalance', String(bob), COIN);
          return [link.name, counted.answered] as const;
        }),
      );
    });
    const flood = Array.from({ length: FLOOD }, (_, id) => request('rooch_dryRunRawTransaction', [data], id));
    const answers = (await floods[name]!(counted, flood)).map((text) => JSON.parse(text));
    expect(answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual([...flood.keys()]);
    for (const { result } of answers) expect(result.raw_output.status).toEqual({ type: 'executed' });
    expect(counted.atWorkSeen).toBe(IN_FLIGHT_REQUESTS_MAX);
    for (const [link, place] of await others!) expect(place, link).toBeLessThan(FLOOD / 2);
    await close();
    await listener.close();
    await rpc.close();
  });
});
