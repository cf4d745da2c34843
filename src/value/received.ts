/**
 * The refusal of an argument: its name, what was expected, what came.
 * @module
 */
import { EngineError } from '../error.ts';

const RECEIVED_CHARACTERS_MAX = 80;

/** A value that was not expected, in few words. */
export function describeReceived(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value);
    return names.length === 0 ? 'an object without properties' : `an object with ${names.slice(0, 5).join(', ')}`;
  }
  return (typeof value === 'string' ? JSON.stringify(value) : String(value)).slice(0, RECEIVED_CHARACTERS_MAX);
}

/** The error of an argument that is not what was expected. `cause` is what a parser of its text said. */
export function argumentError(name: string, expected: string, given: unknown, cause?: unknown): EngineError {
  const received = describeReceived(given);
  return new EngineError('invalid-argument', `${name}: expected ${expected}, got ${received}`, {
    details: { path: name, expected, received },
    cause,
  });
}

/**
 * What `parse` reads from text.
 * @throws {EngineError} `invalid-argument` naming the argument where it refuses it, with its reason as the cause.
 */
export function parseArgument<T>(name: string, expected: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    throw argumentError(name, expected, text, cause);
  }
}

const PLAIN_BYTES: object = Uint8Array.prototype;

/** Bytes as the engine keeps them: of no subclass, which would slow down what has only seen plain ones. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return Object.getPrototypeOf(bytes) === PLAIN_BYTES ? bytes : new Uint8Array(bytes);
}

/** The bytes of an argument that is to have `length` of them, or undefined. */
export function bytesOfLength(given: unknown, length: number): Uint8Array | undefined {
  return given instanceof Uint8Array && given.length === length ? plainBytes(given) : undefined;
}

/**
 * Every item of an argument that is a list, or undefined where there is none.
 * @throws {EngineError} `invalid-argument` for what is no list, or naming the item.
 */
export function each<G, T>(
  given: readonly G[] | undefined,
  name: string,
  read: (item: G, name: string) => T,
): T[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) throw argumentError(name, 'an array', given);
  return given.map((item: G, index) => read(item, `${name}[${index}]`));
}
