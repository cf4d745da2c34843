/**
 * The one error class of the engine.
 *
 * An outcome that Move or the protocol foresees (an aborted transaction, an absent object) is a value. Any other failure
 * that a caller can cause or must know about is an `EngineError`: `code` is a stable word to branch on, `message` is
 * for people and may change.
 * @module
 */

/** Every code, with what it means. Codes are never renamed or reused. */
export const ERROR_CODES = {
  'invalid-argument': 'an argument does not have the form or range that the function requires',
  'malformed-bytes': 'bytes do not decode as the type they should hold',
  'malformed-module': 'bytes are not a Move module or script that this engine can read',
  'malformed-source': 'a package manifest or a list of tests cannot be read',
  'compile-failed': 'Move sources do not compile',
  'limit-exceeded': 'a bound was passed; the message names it',
  'deadline-exceeded': 'a view or a dry run took longer than the engine lets it hold the thread',
  'view-failed': 'a view function aborted, ran out of gas, or did something that a view may not',
  'not-found': 'the named thing does not exist at this root',
  'not-supported': 'the request is valid, but this engine or this chain cannot do it',
  pruned: 'the chain no longer keeps that state or change set, or the commit log that record',
  'state-not-loaded': 'the answer needs state that a partial chain does not hold',
  'read-only': 'the chain or the engine accepts no writes',
  corrupt: 'stored or received data does not match its checksum, hash or form',
  'store-failed': 'the store could not read or write: disk full, input or output error',
  'store-locked': 'another process or engine holds the directory or the store',
  'store-lost': 'the directory was opened by another engine, or removed: unacknowledged writes may be missing',
  'batch-open': 'a large batch of the store is still open: it must be committed or abandoned first',
  fenced: 'another writer took over the commit log: this one can no longer write',
  'log-failed': 'the commit log failed, and nothing was appended',
  'log-unknown': 'the commit log may or may not hold what was appended; its head will tell',
  'log-mismatch': 'the store and the commit log do not belong together',
  behind: 'the node has not yet reached the requested order',
  'format-unknown': 'the directory was written in a format that this version does not read',
  'genesis-mismatch': 'the directory holds a different chain from the requested one',
  'transaction-failed': 'the transaction was executed and failed',
  'transaction-rejected': 'the transaction was refused before it was given an order',
  'invariant-broken': 'an invariant of a test does not hold after some sequence of calls',
  'replay-differs': 'replaying a run did not give the recorded result',
  forbidden:
    'the Host or the Origin of a request is not one that the listener serves, or a page of another site caused it (`Sec-Fetch-Site`)',
  'remote-untrue': 'another node sent data that does not match the hash or proof that was requested',
  offline: 'a fork without its remote needs something that it has not read before',
  'transport-failed': 'a socket, pipe or port could not be opened, read or written',
  'invariant-violation': 'an assumption of the engine itself is broken',
  closed: 'the engine or the transport was closed',
} as const;

/** A stable word for what went wrong; `ERROR_CODES` says what each means. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The options of an `EngineError`. */
export interface EngineErrorOptions {
  /** Facts for programs: plain JSON values only, no secrets, no stack traces. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Marks errors of this class in every copy of it: `movelet/proof` is a single file with a copy of its own. */
const BRAND = Symbol.for('movelet.EngineError');

/** What the engine throws. `code` is stable, `message` is not. */
export class EngineError extends Error {
  static {
    Object.defineProperty(EngineError.prototype, BRAND, { value: true });
    Object.defineProperty(EngineError, Symbol.hasInstance, { value: hasInstance });
  }

  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    if (!Object.hasOwn(ERROR_CODES, code)) throw misuse('code', 'a code of ERROR_CODES', code);
    if (typeof message !== 'string') throw misuse('message', 'text', message);
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw misuse('options', '{ details, cause }', options);
    }
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngineError';
    this.code = code;
    this.details = options.details ?? {};
    if (code !== 'invariant-violation') beginAtCaller(this);
  }
}

export const invalidArgument = (message: string): EngineError => new EngineError('invalid-argument', message);
export const malformedBytes = (message: string): EngineError => new EngineError('malformed-bytes', message);

/** The result of `run`; undefined if it throws an `EngineError`, with this code if one is given. */
export function unlessRefused<T>(run: () => T, code?: ErrorCode): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof EngineError && (code === undefined || error.code === code)) return undefined;
    throw error;
  }
}

/** The most frames of this package between a program's call and the error. */
const OWN_FRAMES_MAX = 60;

/** The folder of this package's code, as stacks write it; undefined in a bundle, which has other code there too. */
const OWN = /(?<=[ (])\S*\/(?=base\/error\.[jt]s:)|(?<=[ (])\S*\/dist\//.exec(new Error('here').stack ?? '')?.[0];

/**
 * The frames of the current stack from the first one outside of this package on: Node and test runners show that line, and
 * a dozen frames of this package would use up the length of a stack. They become text when the returned function is called.
 * @param below the stack begins at the caller of this function
 * @returns undefined in a host that cannot capture stacks
 */
export function callerFrames(below: object = callerFrames): (() => readonly string[]) | undefined {
  const { captureStackTrace } = Error as Partial<ErrorConstructor>;
  if (OWN === undefined || captureStackTrace === undefined) return undefined;
  const trace: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = OWN_FRAMES_MAX + limit;
  captureStackTrace(trace, below as () => void);
  Error.stackTraceLimit = limit;
  return () => {
    const frames = (trace.stack ?? '').split('\n').slice(1);
    const from = frames.findIndex((frame) => !frame.includes(OWN) && !frame.includes('<anonymous>'));
    // A program that was bundled into the same folder has no frames but these.
    const isProgram = from >= 0 && !frames[from]!.includes('node:');
    return (isProgram ? frames.slice(from) : frames).slice(0, limit);
  };
}

/** Makes the stack of an error begin with the line that called this package, when it is first read. */
function beginAtCaller(error: EngineError): void {
  const frames = callerFrames(EngineError);
  if (frames === undefined) return;
  const define = (property: PropertyDescriptor): EngineError =>
    Object.defineProperty(error, 'stack', { ...property, configurable: true });
  define({
    get: () => {
      const value = [`${error.name}: ${error.message}`, ...frames()].join('\n');
      define({ value, writable: true });
      return value;
    },
    set: (value) => define({ value, writable: true }),
  });
}

/** An error of any copy is an instance of all of them; subclasses are told apart as usual. */
function hasInstance(this: unknown, value: unknown): boolean {
  if (this !== EngineError) return Function.prototype[Symbol.hasInstance].call(this, value);
  return typeof value === 'object' && value !== null && BRAND in value;
}

function misuse(name: string, expected: string, given: unknown): EngineError {
  const received = typeof given === 'object' || typeof given === 'function' ? typeof given : String(given);
  return invalidArgument(`${name}: expected ${expected}, got ${received}`);
}

/** The message of a thrown value: an error's message, or the value as text. Some objects have no text. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return 'an object that cannot be turned into text';
  }
}

/**
 * Asserts an invariant of the engine.
 * @throws {EngineError} `invariant-violation` when `condition` is false.
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new EngineError('invariant-violation', message);
}
