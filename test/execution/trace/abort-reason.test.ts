/** Natives of the framework abort with a number; a failure says in words what it means for the modules at hand. */
import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../src/index.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';

// Their senders have no coins.
const engine = await Engine.open({ gasGift: true });
afterAll(() => engine.close());

const OPTION = 'extern 0x1::option { struct Option<T> has copy, drop, store }';

it.each<[what: string, text: string, code: bigint, reason: string]>([
  [
    'an entry function that no transaction can call',
    `module 0x42::bad ${OPTION} entry fun f(a: u8, b: 0x1::option::Option<u8>) { Ret }`,
    11001n,
    'parameter 1 of entry function 0x42::bad::f is a 0x1::option::Option<u8>; a transaction can pass bool, integers, address, strings, ObjectID, Object<T> and vectors of these',
  ],
  [
    'unsound code',
    'module 0x42::bad fun f(): u64 { LdTrue; Ret }',
    2n,
    'Ret expects u64, got bool (RET_TYPE_MISMATCH_ERROR)',
  ],
])('%s', async (_what, text, code, reason) => {
  const { failure } = await engine.publish('0x42', [assembleModuleBytes(text)]);
  expect(failure).toMatchObject({ module: '0x2::move_module', abortCode: code });
  expect(failure?.message).toMatch(/^aborted with code \d+.* in 0x2::move_module::sort_and_verify_modules_inner at /);
  expect(failure?.message.endsWith(`: ${reason}`), failure?.message).toBe(true);
});

it('a module that lacks what the published one has', async () => {
  const publish = (text: string) => engine.publish('0x44', [assembleModuleBytes(text)]);
  await publish('module 0x44::m struct S has copy, drop { x: u64 } public fun f() { Ret }');
  const { failure } = await publish('module 0x44::m struct S has copy, drop { x: u64 }');
  expect(failure?.message).toMatch(/^aborted with code 3 .*check_compatibililty_inner at offset 0: .*f/);
});

it('a plain abort has no reason but its code', async () => {
  const modules = [assembleModuleBytes('module 0x45::m entry fun f() { LdU64 9; Abort }')];
  await engine.publish('0x45', modules);
  const { failure } = await engine.executeAs('0x45', { function: '0x45::m::f' });
  expect(failure?.message).toBe('aborted with code 9 in 0x45::m::f at offset 1');
});

describe('an object that is given for two arguments', () => {
  const ID = `0x${'77'.repeat(32)}`;
  const OBJECT = '0x2::object::Object<0x42::twice::Thing>';
  const MODULE = `module 0x42::twice
    extern 0x2::object { struct Object<phantom T> has key, store }
    struct Thing has key, store { n: u64 }
    entry fun change(left: &mut ${OBJECT}, right: &mut ${OBJECT}) { Ret }
    entry fun take(things: vector<${OBJECT}>) { LdU64 1; Abort }`;

  it.each([
    ['change', [ID, ID], 7n, `argument 1 (&mut ${OBJECT}): the object ${ID} is already borrowed`],
    ['take', [[ID, ID]], 15n, `argument 0 (vector<${OBJECT}>): the object ${ID} is taken out or embedded`],
  ])('%s: names the argument and the object, and no function, since none ran', async (name, given, code, reason) => {
    await using fork = engine.fork();
    expect((await fork.publish('0x42', [assembleModuleBytes(MODULE)])).failure).toBeUndefined();
    const [alice] = fork.accounts;
    await fork.dev.setObject(ID, { owner: alice!.address, type: '0x42::twice::Thing', value: { n: 1 } });
    const { status, failure } = await fork.executeAs(alice!.address, {
      function: `0x42::twice::${name}`,
      arguments: given,
    });
    expect(status).toMatchObject({ kind: 'move-abort', code, location: '0x2::object' });
    expect(failure).toMatchObject({ module: '0x2::object', function: undefined, codeOffset: undefined });
    expect(failure?.message).toMatch(new RegExp(`^aborted with code ${code}.* in 0x2::object: `));
    expect(failure?.message.endsWith(`: ${reason}`), failure?.message).toBe(true);
  });
});
