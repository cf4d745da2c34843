/** JSON-RPC messages: examples of every method, changed; and views of every function that a module makes public. */
import { Engine } from '../../src/index.ts';
import { createRpc, type MethodName, type MethodParams } from '../../src/server/index.ts';
import { type Area, textBytes } from './area.ts';

const VIEW_MS = 2_000;

interface Document {
  readonly methods: readonly {
    readonly name: string;
    readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[];
  }[];
}

interface Abi {
  readonly functions: readonly {
    readonly name: string;
    readonly params: readonly string[];
    readonly type_params: readonly unknown[];
  }[];
}

export const message = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/**
 * Fails unless the text is one response of JSON-RPC, or a batch of them, reports no failure of the node itself, and tells
 * nothing of its code.
 */
export function checkAnswer(text: string | undefined): void {
  if (text === undefined || text === '') return;
  const parsed: unknown = JSON.parse(text);
  for (const answer of Array.isArray(parsed) ? parsed : [parsed]) {
    if (answer.jsonrpc !== '2.0' || 'result' in answer === 'error' in answer) throw new Error(`no response: ${text}`);
    if (answer.error?.code === -32603 && answer.error.data?.code !== 'not-supported')
      throw new Error(text.slice(0, 500));
    if ('error' in answer && /node_modules|\.ts:\d|at [\w.]+ \(/.test(JSON.stringify(answer.error)))
      throw new Error(`a stack: ${text.slice(0, 500)}`);
  }
}

async function requestArea(seedsOf: (ask: Ask) => Promise<string[]>): Promise<Area> {
  const engine = await Engine.open({ viewMsMax: VIEW_MS });
  const rpc = createRpc(engine);
  const seeds = await seedsOf((method, params) =>
    rpc.request(method as MethodName, params as MethodParams<MethodName>).catch(() => null),
  );
  return {
    seeds: seeds.map(textBytes),
    // A view, what comes before and after it, and a machine that others use too.
    msMax: 2 * VIEW_MS,
    run: async (input) => checkAnswer(await rpc.handle(new TextDecoder().decode(input))),
    close: async () => {
      await rpc.close();
      await engine.close();
    },
  };
}

/** Calls a method; gives null if it fails. */
type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;

/** The examples of every method that a node has, and a batch. */
export async function requestSeeds(ask: Ask): Promise<string[]> {
  const { methods } = (await ask('rpc.discover')) as Document;
  const samples = methods.flatMap(({ name, examples }) =>
    examples.map(({ params }) =>
      message(
        name,
        params.map(({ value }) => value),
      ),
    ),
  );
  return [...samples, `[${samples.slice(0, 3).join(',')}]`];
}

/** BCS that is a value of many types: numbers, an empty or short vector, an address. */
const ARGUMENTS = ['0x00', '0x01', '0x0400010203', `0x${'00'.repeat(32)}`, `0x20${'ff'.repeat(32)}`];

const MODULES = [
  ['0x1', ['vector', 'string', 'bcs', 'option', 'type_name', 'ascii', 'hash']],
  [
    '0x2',
    ['json', 'cbor', 'bcs', 'rlp', 'base58', 'hex', 'groth16', 'evm', 'move_module', 'address', 'event', 'display'],
  ],
  ['0x3', ['bitcoin_address', 'multichain_address', 'gas_coin', 'coin', 'session_key', 'transaction_fee']],
] as const;

/** Views of every public function of those modules. */
export async function viewSeeds(ask: Ask): Promise<string[]> {
  const seeds: string[] = [];
  for (const [address, names] of MODULES) {
    for (const name of names) {
      const abi = (await ask('chain_getModuleABI', [address, name])) as Abi | null;
      for (const { name: own, params, type_params: types } of abi?.functions ?? []) {
        const args = params.map((_, index) => ARGUMENTS[(index + own.length) % ARGUMENTS.length]);
        const call = { function_id: `${address}::${name}::${own}`, ty_args: types.map(() => 'vector<u8>'), args };
        seeds.push(message('chain_executeViewFunction', [call]));
      }
    }
  }
  return seeds;
}

export const requests = (): Promise<Area> => requestArea(requestSeeds);

export const views = (): Promise<Area> => requestArea(viewSeeds);
