/** Options of reads: the SDK may send any of the reference's with any read; what nobody knows is refused. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { createRpc, type MethodName } from '../../src/server/index.ts';
import { REFERENCE_READ_OPTIONS } from '../../src/server/rpc/param.ts';

const ALICE = String(DEV_ACCOUNTS[0]!.address);
const RGAS = '0x3::gas_coin::RGas';
const HEAD = `0x${'ab'.repeat(32)}`;

/** Every read with options, its parameters up to them, and a member that is not one of them. */
const READS: readonly [MethodName, readonly unknown[], string, string | undefined][] = [
  ['chain_getBalance', [ALICE, RGAS], 'Order', 'order'],
  ['chain_getBalances', [ALICE, null, '5'], 'Order', undefined],
  ['chain_executeViewFunction', [{ function_id: '0x3::chain_id::chain_id' }], 'stateroot', 'stateRoot'],
  ['chain_getObjectStates', ['0x3'], 'stateroot', 'stateRoot'],
  ['chain_getStates', ['/object/0x3'], 'Decode', 'decode'],
  ['chain_listStates', ['/object/0x3', null, '5'], 'show_display', 'showDisplay'],
  ['chain_listFieldStates', ['0x3', null, '5'], 'order_', 'order'],
  ['chain_queryEvents', [{ sender: ALICE }, null, '5'], 'decending', 'descending'],
  ['chain_queryTransactions', [{ sender: ALICE }, null, '5'], 'filterout', 'filterOut'],
  ['rooch_queryObjectStates', [{ owner: ALICE }, null, '5'], 'showdisplay', 'showDisplay'],
  ['chain_getEventsByEventHandle', ['0x3', null, '5', true], 'decoded', 'decode'],
];

async function sdkOptions(): Promise<string[]> {
  const sdk = createRequire(import.meta.url).resolve('@roochnetwork/rooch-sdk');
  const types = readFileSync(new URL('../esm/client/types/generated.d.ts', `file://${sdk}`), 'utf8');
  const members = [...types.matchAll(/^export interface (?:State|Event|Query|Tx)Options \{([^}]*)\}/gm)].flatMap(
    ([, body]) => [...body!.matchAll(/^\s+(\w+)\?:/gm)].map(([, name]) => name!),
  );
  return [...new Set(members)].sort();
}

describe('options of a read', () => {
  it('are ignored if they are the reference’s for another read, as its SDK sends them', async () => {
    expect(await sdkOptions()).toEqual(REFERENCE_READ_OPTIONS);
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const others = Object.fromEntries(REFERENCE_READ_OPTIONS.map((name) => [name, false]));
    for (const [method, params] of READS) {
      const option = { ...others, stateRoot: null };
      await expect(rpc.request(method, [...params, option] as never), method).resolves.toBeDefined();
    }
  });

  it.each(READS)('of %s are refused if nobody has them', async (method, params, name, meant) => {
    await using engine = await Engine.open();
    const option = { [name]: name === 'stateroot' ? HEAD : '0' };
    const error = await createRpc(engine)
      .request(method, [...params, option] as never)
      .then(
        () => undefined,
        (thrown: Error) => thrown,
      );
    expect(error?.message).toContain(`got "${name}"`);
    if (meant !== undefined) expect(error?.message).toContain(`did you mean ${meant}?`);
  });

  it('include the members of a call', async () => {
    await using engine = await Engine.open();
    const call = { function_id: '0x3::coin::name_by_type', typ_args: [RGAS] };
    await expect(createRpc(engine).request('chain_executeViewFunction', [call] as never)).rejects.toThrow(
      /got "typ_args"; did you mean ty_args\?/,
    );
  });
});
