import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { assert, EngineError, ERROR_CODES, type ErrorCode, messageOf } from '../src/base/error.ts';

describe('EngineError', () => {
  it('carries a stable code, facts and its cause', () => {
    const cause = new Error('below');
    const error = new EngineError('not-found', 'no such object', { details: { id: '0x1' }, cause });
    expect(error).toBeInstanceOf(Error);
    expect({ ...error }).toMatchObject({ code: 'not-found', details: { id: '0x1' }, name: 'EngineError' });
    expect(error.message).toBe('no such object');
    expect(error.cause).toBe(cause);
    expect(String(error)).toBe('EngineError: no such object');
  });

  it('has no cause and no facts unless they are given', () => {
    const error = new EngineError('closed', 'closed');
    expect('cause' in error).toBe(false);
    expect(error.details).toEqual({});
  });

  it('is the same class in every copy of the file', async () => {
    vi.resetModules();
    const copy = await import('../src/base/error.ts');
    expect(copy.EngineError).not.toBe(EngineError);
    expect(new copy.EngineError('closed', 'closed') instanceof EngineError).toBe(true);
    expect(new EngineError('closed', 'closed') instanceof copy.EngineError).toBe(true);
    expect(Object.keys(new EngineError('closed', 'closed'))).not.toContain('movelet.EngineError');
  });

  it('is told apart from other errors and values, and its subclasses from it', () => {
    class Narrow extends EngineError {}
    expect(new Narrow('closed', 'closed') instanceof Narrow).toBe(true);
    expect(new Narrow('closed', 'closed') instanceof EngineError).toBe(true);
    expect(new EngineError('closed', 'closed') instanceof Narrow).toBe(false);
    for (const other of [new Error('closed'), { code: 'closed' }, 'closed', null, undefined]) {
      expect(other instanceof EngineError).toBe(false);
    }
  });

  it('has codes that are words, each with a sentence', () => {
    for (const [code, sentence] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      expect(sentence.length).toBeGreaterThan(20);
    }
  });

  // Codes are never renamed: programs branch on them. A new one is added here on purpose.
  it('knows the codes of the first release', () => {
    const first: readonly ErrorCode[] = [
      'invalid-argument',
      'malformed-bytes',
      'malformed-module',
      'limit-exceeded',
      'not-found',
      'not-supported',
      'state-not-loaded',
      'read-only',
      'corrupt',
      'store-failed',
      'store-locked',
      'format-unknown',
      'genesis-mismatch',
      'transaction-rejected',
      'invariant-violation',
      'closed',
    ];
    expect(Object.keys(ERROR_CODES)).toEqual(expect.arrayContaining([...first]));
  });
});

describe('assert', () => {
  it('passes what holds and names what does not', () => {
    assert(true, 'holds');
    try {
      assert(false, 'the head stands');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'invariant-violation', message: 'the head stands' });
    }
  });
});

describe('docs/errors.md', () => {
  const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');
  const rows = page.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

  it('has a row for every code, with what it means and what to do', () => {
    const found = rows.filter(([code]) => /^`[a-z-]+`$/.test(code!));
    const sentences = found.map(([code, cause]) => [code!.slice(1, -1), cause!.toLowerCase()]);
    const expected = Object.entries(ERROR_CODES).map(([code, cause]) => [code, `${cause}.`.toLowerCase()]);
    expect(sentences).toEqual(expected);
    for (const [code, , cure] of found) expect(cure, code).toMatch(/^[A-Z].{20,}\.$/);
  });

  it('has the numbers of JSON-RPC', () => {
    const source = readFileSync(new URL('../src/base/json-rpc.ts', import.meta.url), 'utf8');
    const numbers = [...source.matchAll(/^export const [A-Z_]+ = (-?\d+);$/gm)].map(([, number]) => number);
    expect(numbers.length).toBeGreaterThan(5);
    expect(rows.map(([number]) => number).filter((number) => /^-?\d+$/.test(number!))).toEqual(numbers);
  });

  it('has every other word that an answer may hold', () => {
    const folder = new URL('../src/server/rpc/', import.meta.url);
    const source = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const words = source
      .flatMap((text) => [...text.matchAll(/rpcError\((.*?)\);/gs)])
      .flatMap(([, given]) => [...given!.matchAll(/, '([a-z]+(?:-[a-z]+)*)'|[?:] '([a-z]+(?:-[a-z]+)*)'/g)])
      .map(([, word, other]) => word ?? other!);
    const own = [...new Set(words)].filter((word) => !(word in ERROR_CODES));
    expect(own.sort()).toEqual(['internal', 'invalid-request', 'malformed-json', 'method-not-found']);
    for (const word of own) expect(page).toContain(`\`${word}\``);
  });
});

describe('what a thrown value says', () => {
  it.each([
    [new Error('full'), 'full'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [{ toString: 1, valueOf: 2 }, 'an object that cannot be turned into text'],
    [Object.create(null), 'an object that cannot be turned into text'],
  ])('%# is text, whatever it is', (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });
});
