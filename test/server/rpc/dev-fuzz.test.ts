/** Whatever is sent to the controls, each answer blames nobody but the client, and the chain stays sound. */
import { describe, expect, it } from 'vitest';
import { Engine, type LogEntry } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { createRpc, type JsonValue } from '../../../src/server/index.ts';
import { devMethods } from '../../../src/server/rpc/dev.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { type RandomNumber, randomNumbers, runs, seed } from '../../effort.ts';

/** Values that occur in the examples of all controls, and some that do not. */
const LEAVES: readonly JsonValue[] = [
  ...Object.values(devMethods).flatMap(({ example }) => leavesOf(example)),
  '0x3::coin::CoinInfo<0x3::gas_coin::RGas>',
  '0x2::module_store::ModuleStore',
  '0x2::gas_schedule::GasSchedule',
  '0x2::account::Account',
  '0x2::object::DynamicField<u8, u8>',
  '0x4::utxo::UTXO',
  'vector<vector<u8>>',
  `0x${'77'.repeat(64)}`,
  '0x',
  '0x00',
  '0x3',
  `${2n ** 256n}`,
  '-1',
  'ε😀',
  '',
  0,
  1.5,
  -1,
  true,
  null,
  [],
  {},
];

function leavesOf(value: JsonValue | undefined): JsonValue[] {
  if (typeof value !== 'object' || value === null) return [value as JsonValue];
  return Object.values(value).flatMap((inner) => leavesOf(inner as JsonValue));
}

/** The value with some of its parts replaced by values from elsewhere. */
function mutated(value: JsonValue, roll: RandomNumber): JsonValue {
  if (roll(6) === 0) return LEAVES[roll(LEAVES.length)]!;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => mutated(item, roll));
  const entries = Object.entries(value as Record<string, JsonValue>).filter(() => roll(12) > 0);
  return Object.fromEntries(entries.map(([name, item]) => [name, mutated(item, roll)]));
}

interface Answer {
  readonly error?: { readonly code: number; readonly data: { readonly code: string } };
}

const NAMES = Object.keys(devMethods) as (keyof typeof devMethods)[];
const REQUESTS = 60;
const CHAINS = runs(3, 300);

describe(`mutated requests of controls, with seed ${seed}`, () => {
  it('are answered, and leave a chain that movelet verify finds sound', { timeout: 3_600_000 }, async () => {
    const roll = randomNumbers(seed);
    let written = 0n;
    for (let chain = 0; chain < CHAINS; chain++) {
      const store = new MemoryStore();
      const said: LogEntry[] = [];
      await using engine = await Engine.open({ store });
      const rpc = createRpc(engine, { dev: true, forksMax: 3, snapshotsMax: 3, log: (entry) => said.push(entry) });
      for (let count = 0; count < REQUESTS; count++) {
        const method = NAMES[roll(NAMES.length)]!;
        // Some go to a fork, if there is one.
        const fork = roll(4) === 0 ? { fork: '1' } : {};
        const params = mutated(devMethods[method].example, roll);
        const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `dev_${method}`, params, ...fork });
        const { error } = JSON.parse((await rpc.handle(request))!) as Answer;
        expect([-32602, 2, 3, undefined], request).toContain(error?.code);
        expect(['corrupt', 'invariant-violation', 'store-failed', 'closed'], request).not.toContain(error?.data.code);
      }
      expect(said).toEqual([]);
      expect((await verifyStore(store)).problems).toEqual([]);
      written += engine.head.order;
      await rpc.close();
    }
    expect(written).toBeGreaterThan(0n);
  });
});
