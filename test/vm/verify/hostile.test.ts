/**
 * Programs made to keep a verifier busy, from the advisories that the reference's unit tests name. Its
 * meter, when it is on, refuses each; here each ends within the bound of steps, which says what time it may take.
 */

import { describe, expect, it } from 'vitest';
import { statusName } from '../../../src/vm/status.ts';
import { StepMeter, VERIFY_STEPS_MAX } from '../../../src/vm/verify/step-meter.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import { assembleModule } from '../assemble.ts';

const times = (count: number, item: (index: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

const bytes = (count: number): string => times(count, (i) => `let l${i}: u8`);
const parameters = (count: number, type: string): string => times(count, (i) => `p${i}: ${type}`, ', ');
const results = (count: number, type: string): string => times(count, () => type, ', ');
const functions = (count: number, item: (index: number) => string): string => times(count, item, '\n');

const STEPS_MAX = VERIFY_STEPS_MAX / 10;
const TWO = 'fun two(): bool, u8 { LdTrue; LdU8 0; Ret }';
const stores = (count: number): string => times(count, (i) => `Call two; StLoc l${i}; BrTrue top;`);

const PROGRAMS: readonly (readonly [advisory: string, title: string, text: string, status?: 'ok'])[] = [
  [
    'GHSA-jjqw-f9pc-525j',
    'locals that become available one after the other, behind back edges to the beginning',
    `${TWO} ${functions(
      16,
      (f) => `fun f${f}() { ${bytes(255)}
      top: ${times(254, (i) => `LdTrue; BrTrue on${i}; Ret; on${i}: LdTrue; BrTrue top;`)} ${stores(255)} Ret }`,
    )}`,
  ],
  [
    'many back edges',
    'the same with a thousand back edges a function',
    `${TWO} ${functions(
      16,
      (f) => `fun f${f}() { ${bytes(255)}
      top: ${times(767, () => 'LdTrue; BrTrue top;')} ${stores(255)} Ret }`,
    )}`,
  ],
  [
    'GHSA-xm6p-ffcq-5p2v',
    'calls that make every result a borrow of every argument',
    `fun all(${parameters(128, '&u64')}): ${results(128, '&u64')} { ${times(128, (i) => `MoveLoc p${i};`)} Ret }
     fun none(${parameters(128, '&u64')}) { Ret }
     fun f(${parameters(128, '&u64')}) {
       ${times(128, (i) => `CopyLoc p${i};`)} ${times(76, () => 'Call all;')} Call none; Ret }`,
  ],
  [
    'GHSA-g8v8-fw4c-8h82',
    'a large borrow graph that a thousand blocks join',
    `fun all(${parameters(127, '&u8')}): ${results(127, '&u8')} { ${times(127, (i) => `MoveLoc p${i};`)} Ret }
     ${functions(
       18,
       (f) => `fun f${f}(${parameters(127, '&u8')}) { ${times(127, (i) => `let l${i}: &u8`)}
       top: ${times(127, (i) => `CopyLoc p${i};`)} Call all; ${times(127, (i) => `StLoc l${i};`)}
       ${times(950, () => 'LdTrue; BrTrue top;')} Ret }`,
     )}`,
  ],
  [
    'GHSA-g8v8-fw4c-8h82',
    'a path through the borrow graph that a thousand blocks join',
    functions(
      21,
      (f) => `fun f${f}(p: &u8) { ${times(31, (i) => `let l${i}: &u8`)}
        top: CopyLoc p; StLoc l0; ${times(30, (i) => `CopyLoc l0; StLoc l${i + 1};`)}
        ${times(965, () => 'LdTrue; BrTrue top;')} Ret }`,
    ),
  ],
  [
    'GHSA-2qvr-c9qp-wch7',
    'copies of a reference with a thousand borrows of its own',
    functions(
      2,
      (f) => `fun f${f}(p: &vector<u8>) { let l: &vector<u8>
        CopyLoc p; StLoc l; ${times(1020, () => 'CopyLoc l; LdU64 0; VecImmBorrow u8;')}
        ${times(1880, () => 'CopyLoc l; Pop;')} ${times(1020, () => 'Pop;')} Ret }`,
    ),
  ],
  [
    'GHSA-37qw-jfpw-8899',
    'locals of deep types',
    `${functions(10, (f) => {
      const deep = `&${'vector<'.repeat(64)}bool${'>'.repeat(64)}`;
      return `native fun make${f}(): ${results(200, deep)}
        fun f${f}() { ${times(200, (i) => `let l${i}: ${deep}`)}
          ${times(30, () => `Call make${f}; ${times(200, (i) => `StLoc l${i};`)}`)} Ret }`;
    })}`,
    // Types are made once here, however often they are named.
    'ok',
  ],
];

describe('programs that keep a verifier busy', () => {
  it.each(PROGRAMS)('%s: %s', (_advisory, _title, text, status = 'CONSTRAINT_NOT_SATISFIED') => {
    // A tenth of the chain's bound, which takes a tenth of its time.
    const verdict = verifyModule(assembleModule(`module 0x1::m ${text}`), new StepMeter(STEPS_MAX));
    expect(verdict.ok ? 'ok' : statusName(verdict.statusCode)).toBe(status);
  });
});
