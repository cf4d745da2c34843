/** Rows with keys that are too short, as in a made-up dump that was loaded as trusted: an error, never an accident. */
import { expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, Engine, EngineError } from '../../src/index.ts';
import { parseAddressHex } from '../../src/move/address.ts';
import { MemoryStore, type Operation } from '../../src/store/index.ts';

it('keys that are too short are reported as damage by every query that meets them', async () => {
  const store = new MemoryStore();
  const first = await Engine.open({ store });
  await first.dev.mint('0x77', 1n);
  await first.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  // A key that lacks its end, after the one from which it was cut, in every column but those of the ledger and the nodes.
  const cut = new Map<string, Operation>();
  for await (const { key, value } of store.scan({})) {
    if (key[0]! < 0x20 || key.length < 10) continue;
    for (const length of [key.length - 1, key.length - 5, key.length - 9]) {
      const short = key.slice(0, length);
      if (store.get(short) === undefined) cut.set(toHex(short), { type: 'put', key: short, value });
    }
  }
  const hostile = store.fork();
  await hostile.batch([...cut.values()]);
  const engine = await Engine.open({ store: hostile });
  const owner = parseAddressHex(DEV_ACCOUNTS[0]!.address);
  const seen: string[] = [];
  for (const descending of [true, false]) {
    const page = { limit: 50, descending };
    const queries: readonly (() => unknown)[] = [
      () => engine.transactions.list({ kind: 'sender', sender: owner }, page),
      () => engine.events.list({ kind: 'sender', sender: owner }, page),
      () => engine.events.list({ kind: 'type', type: '0x3::coin_store::DepositEvent' }, page),
      () => engine.objects.list({ kind: 'owner', owner }, page),
      () => engine.bitcoin.utxos({ kind: 'all' }, page),
      () => engine.states.list({ kind: 'object', ids: undefined }, page),
    ];
    for (const query of queries) {
      try {
        await query();
      } catch (error) {
        expect(error, String(query)).toBeInstanceOf(EngineError);
        seen.push((error as EngineError).code);
      }
    }
  }
  expect(seen.filter((code) => code === 'corrupt').length, seen.join()).toBeGreaterThan(0);
  await engine.close();
  await first.close();
});
