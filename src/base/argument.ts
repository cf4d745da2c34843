/**
 * Checks the arguments of public functions and makes the errors that reject them.
 *
 * An error names the argument, what was expected and what was given. TypeScript checks none of this for callers that
 * are written in JavaScript or that cast.
 * @module
 */
import { CHAIN_TIME_MS_MAX } from './config.ts';
import { EngineError, invalidArgument } from './error.ts';
import { didYouMean } from './nearest-name.ts';

const RECEIVED_CHARACTERS_MAX = 80;

/** A short description of an unexpected value. */
export function describeReceived(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) {
    if ('then' in value) return 'a promise: await it';
    const names = Object.keys(value);
    return names.length === 0 ? 'an object without properties' : `an object with ${names.slice(0, 5).join(', ')}`;
  }
  const text =
    typeof value === 'string' ? JSON.stringify(value) : `${String(value)}${typeof value === 'bigint' ? 'n' : ''}`;
  return text.length <= RECEIVED_CHARACTERS_MAX ? text : `${text.slice(0, RECEIVED_CHARACTERS_MAX)}...`;
}

/** The error for an unexpected argument. `cause` is the error of the parser that read its text. */
export function argumentError(name: string, expected: string, given: unknown, cause?: unknown): EngineError {
  const received = describeReceived(given);
  return new EngineError('invalid-argument', `${name}: expected ${expected}, got ${received}`, {
    details: { path: name, expected, received },
    cause,
  });
}

/** The error for text that is not of the expected form. */
export function textError(expected: string, text: string): EngineError {
  return invalidArgument(`expected ${expected}, got ${describeReceived(text)}`);
}

/**
 * The result of `parse` on the text.
 * @throws {EngineError} `invalid-argument` naming the argument if `parse` throws, with what it threw as the cause;
 * `limit-exceeded` as it is, since the form is right.
 */
export function parseArgument<T>(name: string, expected: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code === 'limit-exceeded') throw cause;
    throw argumentError(name, expected, text, cause);
  }
}

/** @throws {EngineError} `invalid-argument` */
export function assertText(given: string, name: string, expected = 'text'): void {
  if (typeof given !== 'string') throw argumentError(name, expected, given);
}

/** @throws {EngineError} `invalid-argument` for anything but bytes, or if there are not `length` of them */
export function assertBytes(given: Uint8Array, name: string, length?: number): void {
  if (given instanceof Uint8Array && (length === undefined || given.length === length)) return;
  throw argumentError(name, length === undefined ? 'bytes (a Uint8Array)' : `${length} bytes`, given);
}

/** @throws {EngineError} `invalid-argument` for anything but an object; an array is not one */
export function assertObject(given: object, name: string, expected = 'an object'): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw argumentError(name, expected, given);
}

/** Whether a value is an object with these methods. */
export function hasMethods(given: unknown, methods: readonly string[]): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return methods.every((method) => typeof (given as Readonly<Record<string, unknown>>)[method] === 'function');
}

/** @throws {EngineError} `invalid-argument` for an object that lacks one of the methods */
export function assertMethods(given: object, name: string, expected: string, methods: readonly string[]): void {
  if (!hasMethods(given, methods)) throw argumentError(name, expected, given);
}

/** @throws {EngineError} `invalid-argument` */
export function assertFunction(given: (...args: never[]) => unknown, name: string): void {
  if (typeof given !== 'function') throw argumentError(name, 'a function', given);
}

/**
 * Rejects unknown members, which are usually misspelt ones.
 * @param path prefix of the name in the message, such as `filter.`
 * @throws {EngineError} `invalid-argument`
 */
export function assertMembers(given: object, known: readonly string[], path = ''): void {
  for (const name in given) {
    if (known.includes(name)) continue;
    const [hint] = didYouMean(name, known);
    const meant = hint === undefined ? '' : `; ${hint}`;
    const message = `${path}${name}: there is no such option${meant}; expected one of ${known.join(', ')}`;
    throw new EngineError('invalid-argument', message, { details: { path: path + name, expected: known } });
  }
}

/** What an option is expected to be, and a test whether a value fits. */
export type Expectation = readonly [expected: string, fits: (value: unknown) => boolean];

export const A_FUNCTION: Expectation = ['a function', (value) => typeof value === 'function'];
export const A_BOOLEAN: Expectation = ['true or false', (value) => typeof value === 'boolean'];
export const TEXT: Expectation = ['text', (value) => typeof value === 'string'];
export const BYTES: Expectation = ['bytes (a Uint8Array)', (value) => value instanceof Uint8Array];
export const A_U64: Expectation = [
  'a bigint from 0 to 2^64 - 1',
  (value) => typeof value === 'bigint' && BigInt.asUintN(64, value) === value,
];

/** What a clock returns. The chain's time never goes back: after one in nanoseconds, no other could be set. */
export const CLOCK_TIME: Expectation = [
  `milliseconds as a bigint from 0 to ${CHAIN_TIME_MS_MAX} (CHAIN_TIME_MS_MAX)`,
  (value) => typeof value === 'bigint' && value >= 0n && value <= CHAIN_TIME_MS_MAX,
];

export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): Expectation {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const fits = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
  return [`a whole number ${range}`, fits];
}

/** As `wholeNumber`, but also accepts Infinity: no bound. */
export function bound(min: number): Expectation {
  const [expected, fits] = wholeNumber(min);
  return [`${expected}, or Infinity`, (value) => value === Number.POSITIVE_INFINITY || fits(value)];
}

export function oneOf(names: readonly string[]): Expectation {
  const quoted = names.map((name) => `'${name}'`);
  const expected = `${quoted.slice(0, -1).join(', ')}${quoted.length > 1 ? ' or ' : ''}${quoted.at(-1)}`;
  return [expected, (value) => names.includes(value as string)];
}

export function arrayOf([expected, fits]: Expectation): Expectation {
  return [`an array of ${expected}`, (value) => Array.isArray(value) && [...value].every((item) => fits(item))];
}

/** @throws {EngineError} `invalid-argument` */
export function assertFits(given: unknown, name: string, [expected, fits]: Expectation): void {
  if (!fits(given)) throw argumentError(name, expected, given);
}

/**
 * Checks every option that is given; undefined counts as left out.
 * @throws {EngineError} `invalid-argument` for anything but an object, or naming an option that is unknown or does not
 * fit
 */
export function assertOptions(given: object, expected: Readonly<Record<string, Expectation>>, name = 'options'): void {
  assertObject(given, name, 'an object of options');
  // An option's own options are named with it: `store.failAt`.
  const path = name === 'options' ? '' : `${name}.`;
  assertMembers(given, Object.keys(expected), path);
  for (const [option, value] of Object.entries(given)) {
    if (value !== undefined) assertFits(value, path + option, expected[option]!);
  }
}

const PLAIN_BYTES: object = Uint8Array.prototype;

/** Bytes as the engine keeps them: never of a subclass, which would slow down code that has only seen plain arrays. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return Object.getPrototypeOf(bytes) === PLAIN_BYTES ? bytes : new Uint8Array(bytes);
}

/**
 * A copy of an argument that must be `length` bytes, since many are kept: the sender of a call until its turn, a state
 * root as long as a tree remembers leaves by it. Undefined for anything else.
 */
export function bytesOfLength(given: unknown, length: number): Uint8Array | undefined {
  return given instanceof Uint8Array && given.length === length ? new Uint8Array(given) : undefined;
}

/**
 * Reads every item of a list argument.
 * @throws {EngineError} `invalid-argument` for anything but a list, or naming the item.
 */
export function eachOf<G, T>(given: readonly G[], name: string, read: (item: G, name: string) => T): T[] {
  if (!Array.isArray(given)) throw argumentError(name, 'an array', given);
  // Not by `map`, which skips holes.
  return Array.from<G, T>(given, (item, index) => read(item, `${name}[${index}]`));
}

/** Reads an argument, or a part of one; `name` is its path in messages. */
type Read<G, T> = (given: G, name: string) => T;

/** Reads a list. */
export function listOf<G, T>(read: Read<G, T>): Read<readonly G[], T[]> {
  return (given, name) => eachOf(given, name, read);
}

/** Reads an optional argument. */
export function ifGiven<G, T>(read: Read<G, T>): Read<G | undefined, T | undefined> {
  return (given, name) => (given === undefined ? undefined : read(given, name));
}

/** How each member of an argument is read. */
type Members = Readonly<Record<string, Read<never, unknown>>>;

type ReadMembers<M extends Members> = { readonly [Name in keyof M]: ReturnType<M[Name]> };

/**
 * Reads an argument with these members, and no others but those `besides`.
 * @throws {EngineError} `invalid-argument` naming the member that is wrong
 */
export function readMembers<M extends Members>(
  given: object,
  name: string,
  members: M,
  besides: readonly string[] = [],
): ReadMembers<M> {
  assertObject(given, name, `an object with ${Object.keys(members).join(', ')}`);
  assertMembers(given, [...besides, ...Object.keys(members)], `${name}.`);
  const values = given as Readonly<Record<string, unknown>>;
  const read = Object.entries(members).map(([key, member]) => [key, member(values[key] as never, `${name}.${key}`)]);
  return Object.fromEntries(read) as ReadMembers<M>;
}

/** By the kind of an argument: its other members. */
type Forms = Readonly<Record<string, Members>>;

/** What is read of an argument in one of these forms. */
export type ReadOf<F extends Forms> = {
  readonly [Kind in keyof F]: { readonly kind: Kind } & ReadMembers<F[Kind]>;
}[keyof F];

/**
 * Reads an argument whose `kind` says which other members it has.
 * @throws {EngineError} `invalid-argument` naming the member that is wrong
 */
export function readByKind<F extends Forms>(
  given: { readonly kind: string },
  name: string,
  forms: F,
  expected: string = `an object with a kind: ${oneOf(Object.keys(forms))[0]}`,
): ReadOf<F> {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(forms, given.kind)) {
    throw argumentError(name, expected, given);
  }
  return { kind: given.kind, ...readMembers(given, name, forms[given.kind]!, ['kind']) } as ReadOf<F>;
}

/** @throws {EngineError} `invalid-argument` */
export function toBigint(given: bigint, name: string): bigint {
  if (typeof given !== 'bigint') throw argumentError(name, 'a bigint', given);
  return given;
}
