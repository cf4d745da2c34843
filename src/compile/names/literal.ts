/**
 * The values of literals.
 * @module
 */
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Syntax } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';

export interface NumberLiteral {
  readonly value: bigint;
  /** `undefined` without a suffix. */
  readonly type: PrimitiveKind | undefined;
}

const SUFFIX = /u(8|16|32|64|128|256)$/;

/** The value of a number; `undefined` with an error if its type does not hold it. */
export function literalNumber(text: string, span: Span, diagnostics: Diagnostics): NumberLiteral | undefined {
  const suffix = SUFFIX.exec(text);
  const bits = Number(suffix?.[1] ?? 256);
  const digits = text.slice(0, suffix?.index).replaceAll('_', '');
  const value = digits === '0x' ? undefined : BigInt(digits);
  if (value === undefined || value >> BigInt(bits) !== 0n) {
    const type = suffix === null ? 'u256, the largest type' : suffix[0];
    diagnostics.add(Syntax.number, span, `the number does not fit into ${type}`);
    return undefined;
  }
  return { value, type: suffix === null ? undefined : (suffix[0] as PrimitiveKind) };
}

/** The bytes of `x".."`; `undefined` with an error. `span` is that of the whole literal. */
export function hexBytes(text: string, span: Span, diagnostics: Diagnostics): Uint8Array | undefined {
  if (text.length % 2 !== 0) {
    diagnostics.add(Syntax.hexString, span, 'a byte takes two hex digits, and the number of digits here is odd');
    return undefined;
  }
  const wrong = text.search(/[^0-9a-fA-F]/);
  if (wrong === -1) return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const at = placeIn(span, wrong, wrong);
  diagnostics.add(Syntax.hexString, at, `'${text[wrong]}' is no hex digit`);
  return undefined;
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, '\\': 92, '0': 0, '"': 34 };

/** The bytes of `b".."`; `undefined` with errors. `span` is that of the whole literal. */
export function stringBytes(text: string, span: Span, diagnostics: Diagnostics): Uint8Array | undefined {
  const bytes: number[] = [];
  let isRight = true;
  const refuse = (start: number, end: number, message: string): void => {
    diagnostics.add(Syntax.byteString, placeIn(span, start, end), message);
    isRight = false;
  };
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      bytes.push(text.charCodeAt(at));
      continue;
    }
    const start = at++;
    const letter = text[at]!;
    const known = ESCAPES[letter];
    if (known !== undefined) bytes.push(known);
    else if (letter !== 'x') refuse(start, start + 2, `there is no escape '\\${letter}'`);
    else if (at + 2 >= text.length) {
      refuse(start, text.length, "'\\x' takes two hex digits");
      break;
    } else {
      const digits = text.slice(at + 1, at + 3);
      const wrong = digits.search(/[^0-9a-fA-F]/);
      if (wrong === -1) bytes.push(Number.parseInt(digits, 16));
      else refuse(at + 1 + wrong, at + 1 + wrong, `'${digits[wrong]}' is no hex digit`);
      at += 2;
    }
  }
  return isRight ? Uint8Array.from(bytes) : undefined;
}

/** A range of what is between the quotes of a literal. */
function placeIn({ source, start }: Span, from: number, to: number): Span {
  const opening = start + 2;
  return { source, start: opening + from, end: opening + to };
}
