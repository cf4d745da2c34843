/**
 * The feature files of the reference's own test suite, word for word: their commands go to `movelet rooch`, their
 * assertions are read as the reference's driver reads them.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Program } from './program.ts';

const reference = process.env['MOVELET_REFERENCE'] ?? '';
const folder = join(reference, 'crates/testsuite/features');

/** The scenarios of each file that are not run, with the reason. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cmd: { 'wasm test': 'natives of the nursery', 'cosmwasm-vm test': 'natives of the nursery' },
  argument_resolver: {},
  vector_object: {},
  friend_module_renaming: {},
  gas_payment_hub: {},
  did: {},
  payment_channel: {},
  dex: {},
};

interface Scenario {
  readonly name: string;
  readonly steps: readonly string[];
}

function scenariosOf(file: string): Scenario[] {
  const lines = readFileSync(join(folder, `${file}.feature`), 'utf8').split('\n');
  const found: { name: string; steps: string[] }[] = [];
  for (const line of lines.map((text) => text.trim())) {
    const [, name] = /^Scenario: (.*)$/.exec(line) ?? [];
    if (name !== undefined) found.push({ name, steps: [] });
    else if (/^(?:Given|Then|When|And) /.test(line)) found.at(-1)!.steps.push(line);
  }
  return found;
}

/** What the commands of a scenario answered, by their first words. */
type Answers = Record<string, unknown>;

/** `$.move[-1].return_values[0]`: an index may count from the end. */
function valueAt(answers: Answers, path: string): unknown {
  let value: unknown = answers;
  for (const [, name, index] of path.replace(/^\$/, '').matchAll(/\.([\w-]+)|\[(-?\d+)\]/g)) {
    if (value === null || value === undefined) break;
    value = name === undefined ? (value as unknown[]).at(Number(index)) : (value as Answers)[name];
  }
  if (value === undefined) throw new Error(`nothing is at ${path}: ${JSON.stringify(answers).slice(-2000)}`);
  return value;
}

const filled = (text: string, answers: Answers): string =>
  text.replace(/\{\{(.*?)\}\}/g, (_, path: string) => {
    const value = valueAt(answers, path.trim());
    return typeof value === 'string' ? value : JSON.stringify(value);
  });

/** By spaces outside of quotes, which are dropped unless a backslash or the other kind of quotes keeps them. */
function split(text: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote: string | undefined;
  let isKept = false;
  for (const character of text) {
    if (character === '\\') isKept = true;
    else if ((character === '"' || character === "'") && !isKept && (quote ?? character) === character) {
      quote = quote === undefined ? character : undefined;
    } else if (character === ' ' && quote === undefined) {
      if (word !== '') words.push(word);
      word = '';
    } else {
      if (character === '"' || character === "'") isKept = false;
      word += character;
    }
  }
  return word === '' ? words : [...words, word];
}

const HOLDS: Readonly<Record<string, (first: string, second: string) => boolean>> = {
  '==': (first, second) => first === second,
  '!=': (first, second) => first !== second,
  contains: (first, second) => first.includes(second),
  not_contains: (first, second) => !first.toLowerCase().includes(second.toLowerCase()),
  '>': (first, second) => BigInt(first) > BigInt(second),
  '<': (first, second) => BigInt(first) < BigInt(second),
  '>=': (first, second) => BigInt(first) >= BigInt(second),
  '<=': (first, second) => BigInt(first) <= BigInt(second),
};

/** Runs the steps; returns the assertions that were made. */
async function play({ steps }: Scenario, cwd: string): Promise<number> {
  const program = await Program.start(cwd);
  const { default: account } = await program.json<{ default: { hex_address: string } }>('account', 'list', '--json');
  const answers: Answers = { address_mapping: { default: account.hex_address } };
  let asserted = 0;
  try {
    for (const step of steps) {
      const [, command] = /cmd: "(.*)"/.exec(step) ?? [];
      const [, assertion] = /assert: "([^"]*)"/.exec(step) ?? [];
      if (command !== undefined) await answer(program, split(filled(command, answers)), answers);
      if (assertion === undefined) continue;
      const [first = '', operator = '', second = ''] = split(filled(assertion, answers));
      expect(HOLDS[operator]?.(first, second), `${step}\n${first} ${operator} ${second}`).toBe(true);
      asserted++;
    }
  } finally {
    await program.stop();
  }
  return asserted;
}

/** An answer that is no JSON counts for nothing; a failure is the text of its message. */
async function answer(program: Program, words: readonly string[], answers: Answers): Promise<void> {
  const list = (answers[words[0]!] ?? []) as unknown[];
  answers[words[0]!] = list;
  let text: string;
  try {
    text = await program.run(words);
  } catch (error) {
    list.push((error as Error).message);
    return;
  }
  try {
    list.push(JSON.parse(text));
  } catch {
    // As the reference's driver does.
  }
}

describe.skipIf(!existsSync(folder))('the feature files of the reference: MOVELET_REFERENCE', () => {
  let copy: string;

  beforeAll(() => {
    // Commands write beside the packages that they build.
    copy = mkdtempSync(join(tmpdir(), 'movelet-features-'));
    for (const name of ['examples', 'apps/app_admin', 'apps/rooch_dex']) {
      cpSync(join(reference, name), join(copy, name), { recursive: true });
    }
    mkdirSync(join(copy, 'crates/testsuite'), { recursive: true });
  });

  afterAll(() => rmSync(copy, { recursive: true }));

  for (const [file, skipped] of Object.entries(FILES)) {
    for (const scenario of existsSync(folder) ? scenariosOf(file) : []) {
      const reason = skipped[scenario.name];
      it.skipIf(reason !== undefined)(
        `${file}: ${scenario.name}${reason === undefined ? '' : ` (${reason})`}`,
        async () => {
          const asserted = await play(scenario, join(copy, 'crates/testsuite'));
          expect(asserted).toBe(scenario.steps.filter((step) => step.includes('assert: ')).length);
        },
      );
    }
  }
});
