/** Upgrades that change the fields of structs: the chain accepts them, and says what they cost. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { Engine, type Receipt } from '../../src/index.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import { assembleFor } from './contract.ts';
import { ALICE } from './step-chain.ts';

const vault = (fields: string, values: string): Uint8Array =>
  assembleFor(
    ALICE,
    `module 0xa11ce::vault
  struct Vault has key, store { ${fields} }
  public entry fun open(by: &signer) {
    ${values}; Pack Vault; Call 0x2::object::new_named_object<Vault>; MoveLoc by
    Call 0x2::signer::address_of; Call 0x2::object::transfer<Vault>; Ret
  }`,
  );

const OLD = vault('coins: u64, fee: u8', 'LdU64 7; LdU8 1');

let engine: Engine;

beforeEach(async () => {
  engine = await Engine.open();
  const published = await engine.publish(ALICE.address, [OLD]);
  expect([published.status, published.warnings]).toEqual([{ kind: 'executed' }, []]);
  (await engine.executeAs(ALICE.address, { function: `${ALICE.address}::vault::open` })).orThrow();
});

afterEach(() => engine.close());

const upgrade = (fields: string, values: string): Promise<Receipt> =>
  engine.publish(ALICE.address, [vault(fields, values)]);

it.each([
  ['coins: u64, fee: u8, name: u64', 'LdU64 7; LdU8 1; LdU64 2', 'name is new'],
  ['coins: u64', 'LdU64 7', 'fee is gone'],
  ['coins: u128, fee: u8', 'LdU128 7; LdU8 1', 'coins was u64 and is u128'],
  ['fee: u8, coins: u64', 'LdU8 1; LdU64 7', 'in another order'],
])('an upgrade to { %s } is warned of', async (fields, values, differences) => {
  const receipt = await upgrade(fields, values);
  expect([receipt.status, receipt.isUpgrade]).toEqual([{ kind: 'executed' }, true]);
  const [warning] = receipt.warnings;
  expect(receipt.warnings).toHaveLength(1);
  expect(warning).toMatch(/^struct 0x[0-9a-f]+::vault::Vault has other fields/);
  expect(warning).toContain(`(${differences}): values stored before no longer decode`);
  expect(`${receipt}`).toContain(`\n  warning: struct vault::Vault has other fields (${differences}): values`);
  expect(JSON.parse(JSON.stringify(receipt))).toMatchObject({ warnings: [warning] });
});

it.each([
  ['the same', 'coins: u64, fee: u8', 'LdU64 7; LdU8 1'],
  ['renamed', 'money: u64, fee: u8', 'LdU64 7; LdU8 1'],
])('an upgrade whose fields are %s is not warned of', async (_, fields, values) => {
  const receipt = await upgrade(fields, values);
  expect([receipt.isUpgrade, receipt.warnings]).toEqual([true, []]);
  expect(`${receipt}`).not.toContain('warning');
});

it('what then no longer decodes says why', async () => {
  const type = `${ALICE.address}::vault::Vault`;
  expect(engine.objects.get(type)?.decoded).toMatchObject({ coins: 7n, fee: 1 });
  await upgrade('coins: u64', 'LdU64 7');
  const object = engine.objects.get(type)!;
  const why = 'its module was upgraded with other fields, or the store is damaged';
  expect(() => object.decoded).toThrow(why);
  expect(JSON.stringify(object)).toContain(why);
  const read = { function: '0x2::object::borrow', typeArguments: [type], arguments: [object.meta.id] };
  expect(engine.tryView(read).failure?.message).toContain(why);
});

it('a dry run of an upgrade warns too', async () => {
  const action = publishAction([vault('coins: u64', 'LdU64 7')]);
  expect(engine.simulate({ sender: ALICE.address, action }).warnings).toHaveLength(1);
});
