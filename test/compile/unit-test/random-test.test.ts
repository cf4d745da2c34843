/** Tests with random arguments: each fault has a simplest failure, which follows from its code. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { compile } from '../../../src/compile/index.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { ran } from '../../cli/ran.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const temporary = temporaryDirectories();

/** The folder of a package with a module that has these members. */
function packageWith(members: string): string {
  const folder = temporary();
  mkdirSync(join(folder, 'sources'));
  writeFileSync(
    join(folder, 'Move.toml'),
    '[package]\nname = "M"\n[addresses]\nm = "0x42"\n[dependencies]\nMoveStdlib = {}\n',
  );
  writeFileSync(join(folder, 'sources/m.move'), `module m::m {\n${members}\n}\n`);
  return folder;
}

/** What `movelet test` writes about one test, with a seed. */
async function told(members: string, ...args: string[]): Promise<{ code: number; lines: string[] }> {
  const { code, out } = await ran(COMMANDS.get('test')!, packageWith(members), '--seed', '7', ...args);
  return { code, lines: out.trimEnd().split('\n') };
}

describe('a test with random arguments', () => {
  it.each([
    ['a bound of a number', '(amount: u64) { assert!(amount < 1000, 1); }', 'amount = 1000'],
    ['a number that the code does not name', '(n: u128) { assert!(n / 3 < 12345, 1); }', 'n = 37035'],
    ['the one value of a type', '(n: u8) { assert!(n != 200, 1); }', 'n = 200'],
    ['the length of a vector', '(v: vector<u16>) { assert!(std::vector::length(&v) < 3, 1); }', 'v = vector[0, 0, 0]'],
    [
      'an item of a vector',
      '(v: vector<vector<u8>>) { std::vector::for_each(v, |each| assert!(std::vector::length(&each) < 2, 1)); }',
      'v = vector[vector[0, 0]]',
    ],
    ['a sum that is too large', '(a: u8, b: u8) { a + b; }', /a = \d+, b = \d+/],
    ['a text', '(s: std::string::String) { assert!(std::string::length(&s) < 2, 1); }', 's = b"aa"'],
    [
      'an option',
      '(given: std::option::Option<bool>) { assert!(!std::option::contains(&given, &true), 1); }',
      'given = option::some(true)',
    ],
    ['an address', '(of: address) { assert!(of != @0x42, 1); }', 'of = @0x42'],
    [
      'a signer',
      '(a: signer, b: signer) { assert!(std::signer::address_of(&a) == std::signer::address_of(&b), 1); }',
      'a = @0x1, b = @0x2',
    ],
    ['a flag', '(no: bool, yes: bool) { assert!(no || !yes, 1); }', 'no = false, yes = true'],
  ])('fails with the simplest of them: %s', async (_name, test, given) => {
    const { code, lines } = await told(`#[random_test]\nfun t${test}`, '--rand-num-iters', '2000');
    expect(code).toBe(1);
    expect(lines[0]).toBe('FAIL  0x42::m::t');
    const [, found] = /^ {6}it failed with (.*), found in run \d+$/.exec(lines[1]!) ?? [];
    if (typeof given === 'string') expect(found).toBe(given);
    else expect(found).toMatch(given);
  });

  it('is the least sum that is too large', async () => {
    const { lines } = await told('#[random_test]\nfun t(a: u8, b: u8) { a + b; }');
    const [, a, b] = /a = (\d+), b = (\d+),/.exec(lines[1]!)!;
    expect(Number(a) + Number(b)).toBe(256);
  });

  it('fails in the same way with what is simpler', async () => {
    const body = '{ assert!(n < 1000 || n > 1000000, 1); assert!(n < 5000000, 2); }';
    const { lines } = await told(`#[random_test]\nfun t(n: u64) ${body}`, '--rand-num-iters', '1');
    const [, code] = /aborted with code (\d)/.exec(lines.join('\n'))!;
    expect(lines[1]).toContain(code === '1' ? 'n = 1000,' : 'n = 5000000,');
  });

  it('takes the addresses that its attribute names, and must fail as it says', async () => {
    const { code, lines } = await told(
      `#[random_test(who = @0x77)]
       #[expected_failure(abort_code = 3, location = Self)]
       fun always(who: signer, n: u64) { assert!(std::signer::address_of(&who) != @0x77, n - n + 3); }
       #[random_test]
       #[expected_failure(abort_code = 3, location = Self)]
       fun not_always(n: u64) { assert!(n < 4, 3); }`,
    );
    expect(code).toBe(1);
    expect(lines[0]).toBe('pass  0x42::m::always  100 runs');
    expect(lines[1]).toBe('FAIL  0x42::m::not_always');
    expect(lines[2]).toMatch(
      /^ {6}expected an abort with code 3 in 0x42::m; it succeeded with n = 0, found in run \d+$/,
    );
  });

  it('is repeated by the command that is printed', async () => {
    const folder = packageWith(
      '#[random_test]\nfun other(_n: u64) {}\n#[random_test]\nfun t(n: u64) { assert!(n % 1000 != 7, 1); }',
    );
    const first = await ran(COMMANDS.get('test')!, folder, '--rand-num-iters', '20000');
    const [, command = ''] = / {6}again: movelet test (.*)/.exec(first.out)!;
    const seed = /random arguments of --seed (\d+)$/m.exec(first.out)![1]!;
    expect(command).toContain(`--filter t --seed ${seed}`);
    const again = await ran(COMMANDS.get('test')!, ...command.split(' '));
    const failure = (out: string): string => /FAIL[\s\S]*?found in run \d+/.exec(out)![0];
    expect(failure(again.out)).toBe(failure(first.out));
    const others = new Set<string>();
    for (const each of ['1', '2', '3'])
      others.add(
        (await ran(COMMANDS.get('test')!, folder, '--seed', each, '--rand-num-iters', '20000')).out.match(
          /in run \d+/,
        )![0],
      );
    expect(others.size).toBeGreaterThan(1);
    await expect(ran(COMMANDS.get('test')!, folder, '--seed', '-1')).rejects.toThrow('--seed');
  });

  it('stops when its time is over, and says how often it ran', async () => {
    let now = 0;
    // A second for each look at the clock.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
    try {
      const { code, lines } = await told('#[random_test]\nfun t(_n: u8) {}', '--rand-num-iters', '1000');
      expect(code).toBe(0);
      expect(lines[0]).toMatch(/^pass {2}0x42::m::t {2}\d of 1000 runs, as many as the time allowed$/);
    } finally {
      clock.mockRestore();
    }
  });

  it('is left out of what is published', async () => {
    const built = await compile(packageWith('public fun f() {}\n#[random_test]\nfun t(_n: u64) {}'));
    expect(readModule(built.modules[0]!.bytes).functionDefinitions.length).toBe(1);
    expect(built.warnings).toEqual([]);
  });

  it.each([
    ['struct S {}\n#[random_test]\nfun t(s: &S) { let _ = s; }', "no values for the parameter 's'"],
    ['struct S has drop {}\n#[random_test]\nfun t(_s: S) {}', "no values for the parameter '_s'"],
    ['#[test]\n#[random_test]\nfun t() {}', "a function is a 'test' or a 'random_test'"],
    ['#[random_test]\nstruct S {}', 'random_test'],
  ])('is refused by the compiler: %s', async (members, message) => {
    await expect(compile(packageWith(members), { test: true })).rejects.toThrow(message);
  });
});
