/**
 * A node that listens, and all that strangers can send to it: each area sends what it changes to the same port, and what
 * the node should be able to do for others goes on beside it.
 */
import { encode } from '../../src/base/bcs.ts';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { signedTransaction } from '../../src/query/transaction-builder.ts';
import { payment } from '../payment.ts';
import { type Area, textBytes } from './area.ts';
import { frameSeeds, LIFE_MS, talk } from './frames.ts';
import { checkAnswer, message, requestSeeds, viewSeeds } from './requests.ts';

/** What nobody should wait for, even on a busy machine. */
const HANG_MS = 120_000;

const MODULE_BYTES_MAX = 3_000;

/** Sends a message to the node; gives its answer. Throws if it does not answer. */
async function send(port: number, body: Uint8Array): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(HANG_MS),
  });
  return response.text();
}

/** Calls a method of the node; gives null if it fails. */
export async function askNode(port: number, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { result } = JSON.parse(await send(port, textBytes(message(method, params)))) as { readonly result?: unknown };
  return result ?? null;
}

/** An area whose inputs become requests by `requestOf`. */
function requestArea(port: number, seeds: readonly Uint8Array[], requestOf: (input: Uint8Array) => Uint8Array): Area {
  return {
    seeds,
    msMax: HANG_MS,
    now: () => performance.now(),
    run: async (input) => checkAnswer(await send(port, requestOf(input))),
    close: async () => {},
  };
}

async function transferSeeds(): Promise<Uint8Array[]> {
  await using engine = await Engine.open();
  const [first, second] = engine.accounts;
  const transfer = first!.transaction(payment(`${second}`));
  return [encode(signedTransaction, first!.sign(transfer))];
}

/** What attacks the node at this port, by the names of the areas whose inputs are the same. */
export async function servedAreas(port: number): Promise<Readonly<Record<string, Area>>> {
  const asked = (method: string, params?: readonly unknown[]): Promise<unknown> => askNode(port, method, params);
  const modules = FRAMEWORK_PACKAGES.flatMap(({ modules: own }) => own.map(({ bytes }) => bytes));
  const sender = DEV_ACCOUNTS[0]!.address;
  const hexRequest = (method: string, paramsOf: (hex: string) => readonly unknown[]) => (input: Uint8Array) =>
    textBytes(message(method, paramsOf(toHexPrefixed(input))));
  // A chain with blocks of its own would leave those of the node it follows.
  const requests = (await requestSeeds(asked)).filter((text) => !text.includes('dev_mine'));
  return {
    requests: requestArea(port, requests.map(textBytes), (input) => input),
    views: requestArea(port, (await viewSeeds(asked)).map(textBytes), (input) => input),
    transactions: requestArea(
      port,
      await transferSeeds(),
      hexRequest('rooch_executeRawTransaction', (hex) => [hex]),
    ),
    modules: requestArea(
      port,
      modules.filter(({ length }) => length < MODULE_BYTES_MAX),
      hexRequest('dev_publish', (hex) => [sender, [hex]]),
    ),
    frames: {
      seeds: frameSeeds(),
      msMax: HANG_MS,
      now: () => performance.now(),
      run: async (input) => void (await talk(port, input, LIFE_MS)),
      close: async () => {},
    },
  };
}
