/**
 * Programs and what the verifier says of them, as text.
 * @module
 */
import { expect, it } from 'vitest';
import { type StatusName, statusName } from '../../../src/vm/status.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule } from '../assemble.ts';

/** What the reference's verifier answers, by its test-suites; `codeOffset` is that of the instruction at fault. */
export type Case = readonly [status: StatusName | 'ok', title: string, text: string, codeOffset?: number];

/**
 * Cases from a table: each is a line `STATUS: title`, or `STATUS at OFFSET: title`, with the text of the program after a
 * bar, or on the lines below, which are indented further.
 */
export function cases(table: string): Case[] {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  const indentOf = (line: string): number => line.search(/\S/);
  const found: [status: string, title: string, text: string, codeOffset?: number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last !== undefined && indentOf(line) > indentOf(lines[0]!)) {
      last[2] = `${last[2]}\n${line.trim()}`.trim();
      continue;
    }
    const [, status, offset, title, text = ''] = /^\s*(\w+)(?: at (\d+))?: ([^|]*?)(?: \| (.*))?$/.exec(line)!;
    if (offset === undefined) found.push([status!, title!, text]);
    else found.push([status!, title!, text, Number(offset)]);
  }
  return found as [StatusName, string, string][];
}

const DECLARATIONS = `
  struct S has copy, drop, store { f: u64, g: u64 }
  struct Pair has drop { left: S, right: S }
  struct Hard { f: u64 }
  struct R has key { f: u64 }
  struct Box<T> has copy, drop, store { value: T }
  struct Tag<phantom T> has copy, drop { f: bool }
  native fun mutable(s: &mut S): &mut u64
  native fun both(a: &mut S, b: &mut S)
  native fun choose(a: &S, b: &S): &u64
  native fun same<T: copy>(t: T): T
`;

/** Tests each case in a module of `DECLARATIONS` and `more`, of format version 6 unless `version` says otherwise. */
export function check(cases: readonly Case[], more = '', version = 6): void {
  it.each(cases)('%s: %s', (status, _title, text, codeOffset) => {
    const verdict = verifyModule(assembleModule(`version ${version} module 0x1::m ${DECLARATIONS} ${more} ${text}`));
    expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(status);
    if (codeOffset !== undefined) expect(verdict).toMatchObject({ location: { codeOffset } });
  });
}
