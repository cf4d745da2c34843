import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Found, frame, MessageReader } from '../../../src/server/transport/framing.ts';
import { runs } from '../../effort.ts';

/** What a reader finds in `bytes`, cut at the given places. */
function read(bytes: Uint8Array | string, cuts: readonly number[] = [], bytesMax = 1_000): Found[] {
  const whole = Buffer.from(bytes as Uint8Array);
  const reader = new MessageReader(bytesMax);
  const found: Found[] = [];
  const places = [0, ...[...cuts].map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  for (let index = 1; index < places.length; index++) {
    found.push(...reader.push(whole.subarray(places[index - 1], places[index])));
  }
  return [...found, ...reader.end()];
}

/** The texts, and the JSON-RPC codes of the refusals. */
function summary(found: readonly Found[]): (string | number)[] {
  return found.map((each) => (typeof each === 'string' ? each : each.error.code));
}

const text = fc.string({ unit: 'binary', minLength: 1 }).map((inner) => JSON.stringify([inner]));
const cuts = fc.array(fc.nat(), { maxLength: 20 });

describe('both framings', () => {
  it('give back what was framed, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 8 }),
        cuts,
        fc.constantFrom('lines' as const, 'content-length' as const),
        (texts, places, framing) => {
          const bytes = texts.map((each) => frame(each, framing)).join('');
          // A lone surrogate has no UTF-8 form, JSON.stringify writes it as an escape.
          expect(read(bytes, places, 10_000)).toEqual(texts);
        },
      ),
    );
  });

  it('never throw, and find the same however nonsense is chunked', () => {
    const header = fc.constantFrom('Content-Length: ', '5', '\r\n', '\n', '{}', 'C', '[', ' ', 'content-type: x', '99');
    const nonsense = fc
      .array(
        fc.oneof(
          header.map((each) => Buffer.from(each)),
          fc.uint8Array({ maxLength: 6 }),
        ),
        { maxLength: 30 },
      )
      .map((parts) => Buffer.concat(parts));
    fc.assert(
      fc.property(nonsense, cuts, (bytes, places) => {
        expect(summary(read(bytes, places, 20))).toEqual(summary(read(bytes, [], 20)));
      }),
      { numRuns: runs(333, 1_000) },
    );
  });

  it('report a text that is not UTF-8', () => {
    const bad = Buffer.from([0x5b, 0xff, 0x5d]);
    const good = Buffer.from('\n{}\n');
    expect(summary(read(Buffer.concat([bad, good])))).toEqual([-32700, '{}']);
    expect(
      summary(
        read(
          Buffer.concat([Buffer.from('Content-Length: 3\r\n\r\n'), bad, Buffer.from('Content-Length: 2\r\n\r\n{}')]),
        ),
      ),
    ).toEqual([-32700, '{}']);
  });
});

describe('lines', () => {
  it('may end with CR LF, be blank, lack the last line feed, or follow a byte order mark', () => {
    expect(read('\uFEFF\r\n  \n[1]\r\n\n[2]\n \t \n[3]')).toEqual(['[1]', '[2]', '[3]']);
  });

  it('of nonsense are passed on, for the RPC to call them parse errors', () => {
    expect(read('hello\nConTent\nC\n{}\n', [1, 2, 3, 7, 9])).toEqual(['hello', 'ConTent', 'C', '{}']);
  });

  it('that begin with a C and are cut short are still lines', () => {
    expect(read('Cont')).toEqual(['Cont']);
    expect(read('C', [])).toEqual(['C']);
    expect(read('')).toEqual([]);
  });

  it('over the bound give one error, and the next line is read', () => {
    const long = 'x'.repeat(11);
    expect(summary(read(`[1]\n${long}\n[2]\n`, [], 10))).toEqual(['[1]', -32007, '[2]']);
    expect(summary(read(`[1]\n${long.repeat(100)}\n[2]\n`, [8, 50, 700], 10))).toEqual(['[1]', -32007, '[2]']);
    expect(summary(read('x'.repeat(11), [], 10))).toEqual([-32007]);
    expect(read(`${'x'.repeat(10)}\n`, [], 10)).toEqual(['x'.repeat(10)]);
  });

  it('of an answer that the RPC breaks up are joined', () => {
    expect(frame('{\n"a":1}', 'lines')).toBe('{ "a":1}\n');
  });
});

describe('frames', () => {
  it('follow the headers of language servers, in any case and order, with either line end', () => {
    const type = 'Content-Type: application/vscode-jsonrpc; charset=utf-8';
    expect(
      read(`Content-Length: 3\r\n${type}\r\n\r\n[1]content-length:3\n\n[2]${type}\r\nCONTENT-LENGTH : 3 \r\n\r\n[3]`),
    ).toEqual(['[1]', '[2]', '[3]']);
  });

  it('count bytes, not letters', () => {
    expect(frame('["ε😀"]', 'content-length')).toBe('Content-Length: 10\r\n\r\n["ε😀"]');
  });

  it('over the bound are skipped by their length', () => {
    expect(
      summary(read(`Content-Length: 11\r\n\r\n${'C'.repeat(11)}Content-Length: 2\r\n\r\n{}`, [25, 30], 10)),
    ).toEqual([-32007, '{}']);
  });

  it('with a broken header are skipped to the next Content-Length, with one error', () => {
    const good = 'Content-Length: 2\r\n\r\n{}';
    for (const bad of [
      'Content-Length: x\r\n\r\n{}\r\n',
      'Content-Length: -1\r\n\r\n',
      'Content-Length: 99999999999999999999\r\n\r\n',
      'Content-Type: x\r\n\r\n[1]\r\n',
      'Content-Length: 3\r\nnonsense\r\n\r\n[1]\r\n',
      `Content-Length: 2\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`,
    ]) {
      const found = summary(read(bad + good));
      expect(found.filter((each) => each === -32700)).toHaveLength(1);
      expect(found.at(-1)).toBe('{}');
    }
  });

  it('after one whose length is too small are found again', () => {
    expect(summary(read('Content-Length: 2\r\n\r\n{"a":1}Content-Length: 2\r\n\r\n{}'))).toEqual(['{"', -32700, '{}']);
  });

  it('cut off by the end of input are errors', () => {
    expect(summary(read('Content-Length: 5\r\n\r\n[1]'))).toEqual([-32700]);
    expect(summary(read('Content-Length: 5\r\n'))).toEqual([-32700]);
    expect(summary(read('Content-Length: 2\r\n\r\n{}Conte'))).toEqual(['{}', -32700]);
    expect(summary(read('Content-Length: 2\r\n\r\n{}\r\n\r\n'))).toEqual(['{}']);
  });

  it('may be empty', () => {
    expect(read('Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}')).toEqual(['', '{}']);
  });
});
