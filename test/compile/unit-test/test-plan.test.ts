/**
 * The tests that sources declare, and what is known of constants. The rules are the reference's
 * (`move-compiler/src/unit_test/plan_builder.rs`); its own programs are in `move-compiler/reference.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { compileSources } from '../../../src/compile/index.ts';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { codesOf } from '../move-compiler/front-end.ts';

const MODE = { hasTests: true, hasVerification: false };

function planned(text: string) {
  const addresses = new Map([['me', new Uint8Array(32).fill(7)]]);
  const targets = [{ files: new Map([['m.move', text]]), addresses }];
  const { tests, diagnostics } = compileMove({ targets, dependencies: [], mode: MODE });
  return { tests, codes: codesOf(diagnostics) };
}

/** The messages of errors and their notes. */
function toldOf(attribute: string): string[] {
  const addresses = new Map([['me', new Uint8Array(32).fill(7)]]);
  const text = `module me::auction { const ErrorBidTooLow: u64 = 1; public fun f() { abort ErrorBidTooLow } }
#[test_only] module me::tests { use me::auction; #[test] #[expected_failure(${attribute})] fun t() { auction::f() } }`;
  const targets = [{ files: new Map([['m.move', text]]), addresses }];
  const { diagnostics } = compileMove({ targets, dependencies: [], mode: MODE });
  return diagnostics.sorted().flatMap(({ primary, notes }) => [primary.message, ...notes]);
}

const inModule = (attribute: string): string =>
  `module 0x42::m {\n const E: u64 = 1 + 2;\n const SMALL: u8 = 3; const FLAG: bool = true;\n #[test]\n #[${attribute}]\n fun t() { abort E } }\nmodule 0x43::n {}`;

describe('the tests of sources', () => {
  it('take the addresses that their attributes name, in the order of their parameters', () => {
    const { tests, codes } = planned(
      'module 0x42::m {\n  #[test(b = @me, a = @0x1)]\n  fun t(a: signer, b: address) { let (_, _) = (a, b); abort 1 }\n  fun no() {} }',
    );
    expect(codes.filter((code) => code.startsWith('E'))).toEqual([]);
    expect(tests).toEqual([
      { module: '0x42::m', name: 't', arguments: ['0x1', `0x7${'07'.repeat(31)}`], path: 'm.move', line: 3 },
    ]);
  });

  it.each([
    ['expected_failure', {}],
    ['expected_failure(abort_code = 3)', { status: 'ABORTED', abortCode: '3' }],
    ['expected_failure(abort_code = 18446744073709551615)', { status: 'ABORTED', abortCode: '18446744073709551615' }],
    ['expected_failure(abort_code = E)', { status: 'ABORTED', abortCode: '3', abortName: 'E', location: '0x42::m' }],
    [
      'expected_failure(abort_code = 0x42::m::E, location = 0x43::n)',
      { status: 'ABORTED', abortCode: '3', abortName: 'E', location: '0x43::n' },
    ],
    ['expected_failure(arithmetic_error, location = Self)', { status: 'ARITHMETIC_ERROR', location: '0x42::m' }],
    ['expected_failure(out_of_gas, location = Self)', { status: 'OUT_OF_GAS', location: '0x42::m' }],
    [
      'expected_failure(vector_error, minor_status = 1, location = Self)',
      { status: 'VECTOR_OPERATION_ERROR', minorStatus: '1', location: '0x42::m' },
    ],
    [
      'expected_failure(major_status = 4017u64, minor_status = E, location = Self)',
      { status: 'ARITHMETIC_ERROR', minorStatus: '3', location: '0x42::m' },
    ],
  ])('must fail as %s says', (attribute, expected) => {
    const { tests, codes } = planned(inModule(attribute));
    expect(codes.filter((code) => code.startsWith('E'))).toEqual([]);
    expect(tests[0]!.expected).toEqual(expected);
  });

  it.each([
    ['expected_failure = 1', ['E10003 5:23']],
    ['expected_failure()', ['E10003 5:4']],
    ['expected_failure(abort_code = 1, out_of_gas)', ['E10003 5:4']],
    ['expected_failure(abort_code)', ['E10003 5:21']],
    ['expected_failure(abort_code = SMALL, location = Self)', ['E10003 5:34']],
    ['expected_failure(abort_code = 1u8, location = Self)', ['E10003 5:21']],
    ['expected_failure(abort_code = 18446744073709551616)', ['E10003 5:21']],
    ['expected_failure(abort_code = FLAG, location = Self)', ['E10003 5:34']],
    ['expected_failure(abort_code = 0x43::n::NONE)', ['E10003 5:34']],
    ['expected_failure(abort_code = none)', ['E10003 5:21']],
    ['expected_failure(abort_code = true)', ['E10003 5:21']],
    ['expected_failure(abort_code = @0x1)', ['E10003 5:21']],
    ['expected_failure(abort_code = 1, location)', ['E10003 5:37']],
    ['expected_failure(abort_code = E, location = E)', ['E10003 5:37']],
    ['expected_failure(vector_error, minor_status = 1u8, location = Self)', ['E10003 5:35']],
    ['expected_failure(major_status = 4017, minor_status, location = Self)', ['E10003 5:42']],
    ['expected_failure(out_of_gas)', ['E10004 5:21']],
    ['expected_failure(out_of_gas = 1, location = Self)', ['E10003 5:21']],
    ['expected_failure(out_of_gas, location = 1)', ['E10003 5:33']],
    ['expected_failure(major_status = 999999, location = Self)', ['E10003 5:21']],
    ['test_only', ['E10004 5:4']],
    ['expected_failure(abort_code = 1)', ['W10007 5:21']],
    ['expected_failure(abort_code = E, minor_status = 1)', ['W09007 5:37']],
  ])('are told about #[%s]', (attribute, expected) => {
    const isAboutTests = (code: string): boolean => /^.10|^W09007/.test(code);
    const { tests, codes } = planned(inModule(attribute));
    expect(codes.filter(isAboutTests)).toEqual(expected);
    expect(tests).toHaveLength(expected.some((code) => code.startsWith('E')) ? 0 : 1);
  });

  it.each([
    ['ErrorBidTooLow', ["expected a 'u64', or a constant of this type", 'write me::auction::ErrorBidTooLow']],
    ['me::ErrorBidTooLow', ['there is no module me::ErrorBidTooLow', 'write me::auction::ErrorBidTooLow']],
    [
      'me::auction::ErrorBidToLow',
      ["the module me::auction has no constant 'ErrorBidToLow'", "did you mean 'ErrorBidTooLow'?"],
    ],
    ['me::auction::ErrorBidTooLow', []],
  ])('are told how to name the constant instead of %s', (name, expected) => {
    expect(toldOf(`abort_code = ${name}`).slice(0, 2)).toEqual(expected);
  });

  it('are told with the places that explain it', () => {
    const text = inModule('expected_failure(abort_code = SMALL)');
    const targets = [{ files: new Map([['m.move', text]]), addresses: new Map() }];
    const { diagnostics } = compileMove({ targets, dependencies: [], mode: MODE });
    const [found] = diagnostics.sorted().filter(({ kind }) => kind.code === 'E10003');
    expect(found!.secondary.map(({ span }) => text.slice(span.start, span.end))).toEqual(['SMALL']);
  });

  it.each([
    ['#[expected_failure] fun f() {}', 'E10004'],
    ['#[test] fun f(a: signer) { abort 1 }', 'E10005'],
    ['#[test(a)] fun f() {}', 'E10005'],
    ['#[test(a = 1)] fun f() {}', 'E10003'],
    ['#[test] inline fun f() {}', 'E10005'],
  ])('are told about %s', (text, code) => {
    const { codes } = planned(`module 0x42::m { ${text} }`);
    expect(codes.filter((each) => each.startsWith('E')).map((each) => each.split(' ')[0])).toEqual([code]);
  });
});

describe('constants', () => {
  it('have values in decimal, if they are whole numbers', () => {
    const { modules } = compileSources({
      'm.move': `module 0x42::m {
        const A: u8 = (1 + 2) * 3;
        const B: u256 = 1 << 200;
        const C: bool = true;
        const D: vector<u8> = b"D";
        const F: u64 = { (7 as u64) } & 6;
      }`,
    });
    expect(modules[0]!.constants).toEqual({ A: '9', B: (1n << 200n).toString(), F: '6' });
  });

  it('are those of failures where code gives them to `abort` or, as the code, to `assert!`', () => {
    const names = ['LIMIT', 'BIG', 'INNER', 'WRAPPED', 'PLAIN', 'SHOWN', 'TOP', 'HIGH', 'LOW', 'PASSED', 'INLINE'];
    const constants = names.map((name, at) => `const ${name}: u64 = ${at};`).join(' ');
    const { modules } = compileSources({
      'm.move': `module 0x42::m {
        ${constants}
        fun state(x: u64): u64 { x }
        fun a(x: u64) { assert!(x < LIMIT, BIG); assert!(state(INNER) == 1, 0x42::m::state(WRAPPED)); abort PLAIN }
        fun b(x: u64): u64 { if (x == 1) abort (SHOWN) else { abort if (x > TOP) HIGH else LOW }; state(PASSED) }
        inline fun c() { abort INLINE }
      }
      module 0x43::n { const PLAIN: u64 = 1; fun f() { abort 1 } }
      `,
    });
    const [m, n] = modules;
    expect([...m!.abortConstants].sort()).toEqual(
      ['BIG', 'WRAPPED', 'PLAIN', 'SHOWN', 'TOP', 'HIGH', 'LOW', 'INLINE'].sort(),
    );
    expect(n!.abortConstants).toEqual([]);
  });
});
