import { expect, it } from 'vitest';
import { parseTypeTag } from '../../../src/move/type-tag.ts';
import { INITIAL_GAS_SCHEDULE } from '../../../src/vm/gas/schedule.ts';
import { Machine } from '../../../src/vm/machine.ts';
import { NativeTable } from '../../../src/vm/native-table.ts';
import { GlobalValue } from '../../../src/vm/value/global.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { assembleModule } from '../assemble.ts';

const module = assembleModule('module 0x1::m struct S has store, drop { a: u8 }');
const machine = Machine.create({ natives: new NativeTable(), schedule: INITIAL_GAS_SCHEDULE });
const type = machine.loadType(parseTypeTag('0x1::m::S'), { load: () => module }) as Type;

// The states of execution.md 5.2.
it('goes through none, fresh and none again', () => {
  const global = new GlobalValue();
  expect([global.exists, global.effect]).toEqual([false, 'none']);
  global.moveTo(type.make(1));
  expect([global.exists, global.effect, global.references]).toEqual([true, 'new', 0]);
  expect(() => global.moveTo(type.make(2))).toThrow('expected no value');
  global.borrow().setField(0, 7);
  expect(global.effect).toBe('new');
  expect(global.moveFrom().f0).toBe(7);
  expect(global.effect).toBe('none');
  expect(() => global.moveFrom()).toThrow('expected a value');
});

it('goes from clean to dirty by a write, to deleted by a move, and back to dirty', () => {
  const global = GlobalValue.cached(type, Uint8Array.of(5))!;
  expect(global.effect).toBe('none');
  expect(global.borrow().f0).toBe(5);
  expect(global.effect).toBe('none');
  global.borrow().setField(0, 5);
  expect(global.effect).toBe('modify');
  const value = global.moveFrom();
  expect([global.exists, global.effect]).toEqual([false, 'delete']);
  global.moveTo(value);
  expect(global.effect).toBe('modify');
  expect(GlobalValue.cached(type, Uint8Array.of(5, 6))).toBeUndefined();
});

it('is dirty when it comes back without a write', () => {
  const global = GlobalValue.cached(type, Uint8Array.of(5))!;
  global.moveTo(global.moveFrom());
  expect(global.effect).toBe('modify');
});
