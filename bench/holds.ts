/**
 * How long single requests hold the thread: the maximum processor time between two rounds of the event loop while one
 * is answered, on a durable store. The table is in docs/limits.md.
 */
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { createRpc, type Rpc } from '../src/server/index.ts';
import { assembleFor } from '../test/pipeline/contract.ts';
import { type BenchLine, line } from './line.ts';
import { inDirectory } from './measure.ts';
import { BALANCE, bytesArgument, call, GREEDY, greedy, NOBODYS_OBJECT, verifyingKey, view } from './requests.ts';
import { executed, transfer } from './transfers.ts';

/** Long enough for a request of 2 MiB as hex. */
const LONG_BYTES = 1_000_000;

const some = (length: number, byte: number): string => bytesArgument(new Uint8Array(length).fill(byte));

const u64 = (value: bigint): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return `0x${bytes.toString('hex')}`;
};
const ALICE = DEV_ACCOUNTS[0]!.address;

const REQUESTS: Readonly<Record<string, unknown>> = {
  'a balance': BALANCE,
  'a batch of 100 balances': new Array(100).fill(BALANCE),
  'a batch of 100 views': new Array(100).fill(view('0x3::chain_id::chain_id', [])),
  'a view of a loop': greedy(ALICE, 'spin'),
  'a view of recursion': greedy(ALICE, 'recurse', u64(900n)),
  'a view that returns 900,000 numbers': greedy(ALICE, 'grow'),
  'a view that returns 100,000 texts': greedy(ALICE, 'texts', u64(100_000n)),
  'a view of groth16::prepare_verifying_key, 256 points': verifyingKey(),
  'a batch of three of them': new Array(3).fill(verifyingKey()),
  'views of base58::encoding, 100 kB': greedy(ALICE, 'encode58', some(100_000, 0xff)),
  'views of base58::encoding, 1 MB': greedy(ALICE, 'encode58', some(LONG_BYTES, 0xff)),
  'views of base58::decoding, 1 MB': greedy(ALICE, 'decode58', some(LONG_BYTES, 0x7a)),
  'views of base64::encode, 1 MB': greedy(ALICE, 'encode64', some(LONG_BYTES, 0xff)),
  'views of keccak256, 1 MB': greedy(ALICE, 'keccak', some(LONG_BYTES, 1)),
  'views of sha2_256, 100 kB': greedy(ALICE, 'sha2', some(100_000, 1)),
  'views of rlp::to_bytes, 900,000 items': greedy(ALICE, 'rlp', some(900_000, 0)),
  'a scan of all change sets that finds nothing': call(
    'rooch_syncStates',
    { object_i_d: NOBODYS_OBJECT },
    null,
    '10',
    null,
  ),
  'a page of 1,000 transactions': call('chain_getTransactionsByOrder', null, '1000', true),
  'a page of 200 change sets': call('rooch_syncStates', 'all', null, '200', null),
  'a page of 200 fields, decoded': call('rooch_listStates', '/object', null, '200', { decode: true }),
  'a list of methods': call('rpc.discover'),
  'a request of 2 MB that is no method': call('x'.repeat(80), new Array(99_000).fill('x'.repeat(18))),
  'a request of 2 MB of text': call('chain_getBalance', 'x'.repeat(2_000_000)),
};

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

interface Hold {
  readonly longest: number;
  readonly whole: number;
  /** The code of the error it is answered with, or empty. */
  readonly code: string;
}

/** The maximum processor time of one round while `action` runs, and the total. */
async function heldBy(action: () => Promise<string | undefined>): Promise<Hold> {
  let isOver = false;
  const begun = processorMs();
  let [last, longest] = [begun, 0];
  const done = action().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = processorMs();
    longest = Math.max(longest, now - last);
    last = now;
  }
  const text = (await done) ?? '';
  const code = /^\{"jsonrpc":"2.0","id":[^,]*,"error".*"code":"([a-z-]+)"/s.exec(text.slice(0, 2_000))?.[1] ?? '';
  return { longest, whole: processorMs() - begun, code };
}

async function hold(rpc: Rpc, text: string, rounds: number): Promise<Hold> {
  let least: Hold | undefined;
  for (let round = 0; round < rounds; round++) {
    const held = await heldBy(() => rpc.handle(text, { connection: {} }));
    if (least === undefined || held.longest < least.longest) least = held;
  }
  return least!;
}

export function run(short: boolean): Promise<readonly BenchLine[]> {
  return inDirectory(async (directory) => {
    const [rounds, transactions] = short ? [1, 1_000] : [3, 20_000];
    await using engine = await Engine.open({ store: directory, durability: 'os' });
    const [alice, bob] = engine.accounts;
    const call = transfer(bob!.address);
    for (let sent = 0; sent < transactions; sent += 200) {
      await Promise.all(Array.from({ length: 200 }, () => engine.executeAs(alice!.address, call)));
    }
    executed(await engine.publish(alice!.address, [assembleFor(DEV_ACCOUNTS[0]!, GREEDY)]));
    const rpc = createRpc(engine);
    const lines: BenchLine[] = [];
    for (const [name, request] of Object.entries(REQUESTS)) {
      const { longest, whole, code } = await hold(rpc, JSON.stringify(request), rounds);
      const baseline = { name: 'all of it', value: whole };
      lines.push(line(code === '' ? name : `${name} (${code})`, longest, 'ms', baseline, '2,000 ms'));
    }
    return lines;
  });
}
