import { beforeEach, describe, expect, it } from 'vitest';
import { bytes, encode, string, struct, u64, vector } from '../../../src/base/bcs.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { formatObjectId, namedObjectId, packageObjectId } from '../../../src/chain/object/object-id.ts';
import { type Address, address, addressOf } from '../../../src/move/address.ts';
import { displayStruct, structTag } from '../../../src/move/type-tag.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';
import { withExterns } from './externs.ts';
import { callAll, type Ran, SENDER, SessionWorld } from './session-world.ts';

const packageData = struct<{ name: string; id: Address; modules: readonly Uint8Array[] }>({
  name: string,
  id: address,
  modules: vector(bytes),
});

const base = (n: number): string => `module 0x5e::base
  public fun n(): u64 { LdU64 ${n}; Ret }`;
const USER = `module 0x5e::user
  extern 0x5e::base { fun n(): u64 }
  struct Mark has key { n: u64, by: address }
  fun init(account: &signer) {
    Call 0x5e::base::n; MoveLoc account; Call 0x2::signer::address_of; Pack Mark
    Call 0x2::object::new_named_object<Mark>; Call 0x2::object::to_shared<Mark>; Ret
  }
  public fun n(): u64 { Call 0x5e::base::n; LdU64 10; Mul; Ret }`;

let world: SessionWorld;

beforeEach(async () => {
  world = await SessionWorld.open();
});

/** Publishes in a session and runs what is to run afterwards. */
function publish(id: Address, texts: readonly string[], commit = true): Ran {
  const modules = texts.map((text) => assembleModuleBytes(withExterns(text)));
  const data = encode(bytes, encode(packageData, { name: 'p', id, modules }));
  const ran = world.inSession((session) => {
    const results = callAll(session, [['0x2::module_store::publish_package_entry', data]]);
    session.releaseArguments();
    const init = session.runInitFunctions();
    return [...results, init.kind, ...(init.kind === 'failed' ? [init.failure.message] : [])];
  });
  if (commit) world.apply(ran.output.changeSet);
  return ran;
}

/** Value changes by module or object type. */
function kinds(changes: FieldChanges): string[] {
  return changes.flatMap(([, { meta, value, fields }]) => [
    ...(value === undefined ? [] : [`${value.kind} ${displayStruct(meta.objectType)}`]),
    ...kinds([...fields]),
  ]);
}

const MODULE_FIELD = '0x2::object::DynamicField<0x1::string::String, 0x2::move_module::MoveModule>';

describe('publishing by a transaction', () => {
  it('stores modules in dependency order and runs their init functions, and their code runs afterwards', () => {
    const { results, output } = publish(SENDER, [USER, base(1)]);
    expect(results).toEqual(['', 'returned']);
    expect(kinds(output.changeSet.changes).sort()).toEqual([
      'new 0x2::module_store::Package',
      'new 0x2::module_store::UpgradeCap',
      `new ${MODULE_FIELD}`,
      `new ${MODULE_FIELD}`,
      'new 0x5e::user::Mark',
    ]);
    expect(world.state.object(packageObjectId(SENDER))?.meta).toMatchObject({ owner: SENDER, size: 2n });
    const mark = world.state.object(namedObjectId(structTag(SENDER, 'user', 'Mark')));
    expect(mark?.value).toEqual(Uint8Array.of(...encode(u64, 1n), ...SENDER));
    expect(output.events.map(({ eventType }) => displayStruct(eventType))).toEqual(['0x2::module_store::UpgradeEvent']);
    expect(world.run([['0x5e::user::n']]).results).toEqual(['10']);
  });

  it('replaces modules, and what depends on them runs the new ones, even in the same session', () => {
    publish(SENDER, [USER, base(1)]);
    expect(world.run([['0x5e::user::n']]).results).toEqual(['10']);
    const { output } = publish(SENDER, [base(2)], false);
    expect(kinds(output.changeSet.changes).sort()).toEqual(
      [`modify ${MODULE_FIELD}`, 'modify 0x2::module_store::Package'].sort(),
    );
    // Nothing was kept: the old code runs.
    expect(world.run([['0x5e::user::n']]).results).toEqual(['10']);
    const modules = [assembleModuleBytes(base(3))];
    const data = encode(bytes, encode(packageData, { name: 'p', id: SENDER, modules }));
    const within = world.inSession((session) => {
      const before = callAll(session, [['0x5e::user::n'], ['0x2::module_store::publish_package_entry', data]]);
      session.runInitFunctions();
      return [...before, ...callAll(session, [['0x5e::user::n']])];
    });
    expect(within.results).toEqual(['10', '', '30']);
    world.apply(within.output.changeSet);
    expect(world.run([['0x5e::user::n']]).results).toEqual(['30']);
    expect(world.state.object(packageObjectId(SENDER))?.meta.size).toBe(2n);
  });

  it('is refused for other people’s packages and for modules that others could no longer use', () => {
    const other = new Uint8Array(32).fill(9);
    expect(publish(other, [base(1).replace('0x5e', `0x${'09'.repeat(32)}`)], false).results[0]).toMatch(
      /^ABORTED 2 at module_store/,
    );
    publish(SENDER, [USER, base(1)]);
    const gone = publish(SENDER, ['module 0x5e::base public fun m(): u64 { LdU64 1; Ret }'], false);
    expect(gone.results[0]).toMatch(/^ABORTED 3 at move_module/);
  });

  it('has values that the session read before taken as the new code’s types, as the next transaction takes them', () => {
    const tally = (fields: string, pack: string): string => `module 0x5e::tally
      struct Tally has key { ${fields} }
      fun init() {
        ${pack}; Pack Tally; Call 0x2::object::new_named_object<Tally>; Call 0x2::object::to_shared<Tally>; Ret
      }
      public fun count(): u64 {
        let tally: &mut Tally
        let n: u64
        Call 0x2::object::named_object_id<Tally>; Call 0x2::object::borrow_mut_object_shared<Tally>
        Call 0x2::object::borrow_mut<Tally>; StLoc tally
        CopyLoc tally; ImmBorrowField Tally.n; ReadRef; LdU64 1; Add; StLoc n
        CopyLoc n; MoveLoc tally; MutBorrowField Tally.n; WriteRef; MoveLoc n; Ret
      }`;
    const late = `module 0x5e::late
      extern 0x5e::tally { fun count(): u64 }
      fun init() { Call 0x5e::tally::count; Pop; Ret }`;
    const old = tally('n: u64', 'LdU64 5');
    publish(SENDER, [old]);
    const id = namedObjectId(structTag(SENDER, 'tally', 'Tally'));
    const countAndPublish = (upgrade: string): readonly [results: readonly string[], value: Uint8Array | undefined] => {
      const modules = [upgrade, late].map((text) => assembleModuleBytes(withExterns(text)));
      const data = encode(bytes, encode(packageData, { name: 'p', id: SENDER, modules }));
      const { results, output } = world.inSession((session) => {
        const before = callAll(session, [['0x5e::tally::count'], ['0x2::module_store::publish_package_entry', data]]);
        const init = session.runInitFunctions();
        return [...before, init.kind === 'failed' ? String(init.failure.message) : init.kind];
      });
      const change = output.changeSet.changes.find(([, { meta }]) => formatObjectId(meta.id) === formatObjectId(id));
      const value = change?.[1].value;
      return [results, value?.kind === 'modify' ? value.value : undefined];
    };
    const DECODES_NOT = expect.stringMatching(
      /^the value of 0x\w+ does not decode as 0x5e::tally::Tally: its module was upgraded with other fields, /,
    );
    // As before: what was counted stays, and `init` counts on.
    expect(countAndPublish(old)).toEqual([['6', '', 'returned'], encode(u64, 7n)]);
    // With a field more, the bytes are no longer those of a tally.
    for (const [fields, pack] of [
      ['n: u64, more: vector<u64>', 'LdU64 5; VecPack u64 0'],
      ['more: vector<u64>, n: u64', 'VecPack u64 0; LdU64 5'],
      ['flag: bool, n: u64', 'LdTrue; LdU64 5'],
    ] as const) {
      expect(countAndPublish(tally(fields, pack))).toEqual([['6', '', DECODES_NOT], encode(u64, 6n)]);
    }
  });

  it('has the transaction context taken as the new code’s type, if that is replaced', () => {
    const contextModule = (more: string, returned: string): string => `module 0x2::tx_context
      extern 0x1::string { struct String has copy, drop, store }
      extern 0x2::any { struct Any has drop, store }
      extern 0x2::simple_map { struct SimpleMap<Key, Value> has copy, drop, store }
      struct TxContext { sender: address, sequence_number: u64, max_gas_amount: u64, tx_hash: vector<u8>, tx_size: u64,
        ids_created: u64, map: 0x2::simple_map::SimpleMap<0x1::string::String, 0x2::any::Any>${more} }
      public fun sequence_number(): u64 {
        Call borrow_inner; ImmBorrowField TxContext.${returned}; ReadRef; Ret
      }
      native fun borrow_inner(): &TxContext`;
    const late = `module 0x2::late
      extern 0x2::tx_context { fun sequence_number(): u64 }
      struct Seen has key { n: u64 }
      fun init() {
        Call 0x2::tx_context::sequence_number; LdU64 1; Add; Pack Seen
        Call 0x2::object::new_named_object<Seen>; Call 0x2::object::to_shared<Seen>; Ret
      }`;
    const system = addressOf(2);
    const askAndPublish = (upgrade: string): Uint8Array | undefined => {
      const modules = [upgrade, late].map((text) => assembleModuleBytes(withExterns(text)));
      const { output } = world.inSession((session) => {
        const asked = callAll(session, [['0x2::tx_context::sequence_number']]);
        for (const [index, name] of ['tx_context', 'late'].entries()) {
          session.objects.modules.publish(system, name, modules[index]!);
        }
        const { kind } = session.runInitFunctions([{ address: system, name: 'late' }]);
        return [...asked, kind];
      });
      const id = namedObjectId(structTag(system, 'late', 'Seen'));
      const change = output.changeSet.changes.find(([, { meta }]) => formatObjectId(meta.id) === formatObjectId(id));
      const value = change?.[1].value;
      return value?.kind === 'new' ? value.value : undefined;
    };
    expect(askAndPublish(contextModule('', 'sequence_number'))).toEqual(encode(u64, 4n));
    expect(() => askAndPublish(contextModule(', more: u64', 'more'))).toThrow(
      expect.objectContaining({ message: 'the transaction context does not decode as its Move type' }),
    );
  });

  it('fails where an init function fails', () => {
    const failing = 'module 0x5e::failing fun init() { LdU64 9; Abort }';
    expect(publish(SENDER, [failing], false).results).toEqual(['', 'failed', 'abort 9 in init at 1']);
  });
});
