/**
 * WebAssembly modules written by hand, as lists of instructions (core specification 1.0, section 5).
 * @module
 */

/** What instantiating a module from bytes takes, which a host may lack or forbid. */
interface Host {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: unknown };
  };
}

/** Encoded instructions: bytes, and lists of code, in order. */
export type Code = number | readonly Code[];

/** A function with 32-bit parameters that returns nothing. Its locals are numbered after the parameters. */
interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  /** The number of 64-bit locals. Default: none. */
  readonly locals?: number;
  readonly code: Code;
}

const PAGE_BYTES = 65_536;

const I32 = 0x7f;
const I64 = 0x7e;

// Section 5.4.
const LOOP = 0x03;
const NO_RESULT = 0x40;
const END = 0x0b;
const BRANCH_IF = 0x0d;
const CALL = 0x10;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const I64_LOAD = 0x29;
const I64_STORE = 0x37;
const I32_CONST = 0x41;
const I64_CONST = 0x42;
const I32_NOT_EQUAL = 0x47;

const I32_ADD = 0x6a;
export const I64_AND = 0x83;
export const I64_XOR = 0x85;
export const I64_ROTL = 0x89;

export const get = (local: number): Code => [LOCAL_GET, leb128(local)];
export const set = (local: number): Code => [LOCAL_SET, leb128(local)];
/** Sets a local, and leaves the value on the stack. */
const tee = (local: number): Code => [LOCAL_TEE, leb128(local)];
export const constant = (value: bigint): Code => [I64_CONST, signedLeb128Of64(value)];
/** The lower 32 bits of a number. */
export const constant32 = (value: number): Code => [I32_CONST, signedLeb128(value | 0)];
/** The 64 bits at the address in a parameter. */
export const load = (address: number, offset: number): Code => [get(address), I64_LOAD, 3, leb128(offset)];
/** Stores what `code` leaves. */
export const store = (address: number, offset: number, code: Code): Code => [
  get(address),
  code,
  [I64_STORE, 3, leb128(offset)],
];
/** An address: that in a parameter plus `offset` bytes, or `offset` alone. */
export const address = (offset: number, parameter?: number): Code => {
  const bytes = constant32(offset);
  return parameter === undefined ? bytes : [get(parameter), bytes, I32_ADD];
};
/** Calls the function of this index with what the parts of `code` leave. */
export const call = (index: number, ...code: readonly Code[]): Code => [code, CALL, leb128(index)];

/** Repeats `body`, adding `step` to a 32-bit local each time, until the local is `end`. */
export const repeat = (local: number, step: number, end: Code, body: Code): Code => [
  [LOOP, NO_RESULT],
  body,
  address(step, local),
  tee(local),
  end,
  [I32_NOT_EQUAL, BRANCH_IF, 0, END],
];

/**
 * Instantiates a module of these functions and a memory of at least this many bytes, all exported; the memory as
 * `memory`.
 * @returns undefined if the host has no WebAssembly, or does not allow it, as in some contexts of node:vm
 */
export function instantiate<Exports>(functions: readonly WasmFunction[], memoryBytes: number): Exports | undefined {
  const { WebAssembly: assembly } = globalThis as unknown as Host;
  if (assembly === undefined) return undefined;
  try {
    const module = new assembly.Module(moduleBytes(functions, Math.ceil(memoryBytes / PAGE_BYTES)));
    return new assembly.Instance(module).exports as Exports;
  } catch {
    // The bytes are valid, so a failure means that code may not be generated.
    return undefined;
  }
}

function moduleBytes(functions: readonly WasmFunction[], pages: number): Uint8Array {
  const types = functions.map(({ parameters }) => [0x60, parameters, Array<number>(parameters).fill(I32), 0]);
  const names = functions.map(({ name }, index) => [text(name), 0, leb128(index)]);
  const bodies = functions.map(({ locals = 0, code }) => withLength([1, leb128(locals), I64, code, END]));
  const indexes = functions.map((_, index) => leb128(index));
  const sections = [
    section(1, types),
    section(3, indexes),
    section(5, [[0, leb128(pages)]]),
    section(7, [[text('memory'), 2, 0], ...names]),
    section(10, bodies),
  ];
  return Uint8Array.from(bytesOf([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, sections]));
}

function section(id: number, items: readonly Code[]): Code {
  return [id, withLength([leb128(items.length), items])];
}

function withLength(code: Code): Code {
  const bytes = bytesOf(code);
  return [leb128(bytes.length), bytes];
}

function text(name: string): Code {
  return withLength([...name].map((letter) => letter.charCodeAt(0)));
}

function bytesOf(code: Code, bytes: number[] = []): number[] {
  if (typeof code === 'number') bytes.push(code);
  else for (const part of code) bytesOf(part, bytes);
  return bytes;
}

function leb128(value: number): Code {
  return value < 0x80 ? value : [(value & 0x7f) | 0x80, leb128(value >>> 7)];
}

/** For 32-bit numbers. */
function signedLeb128(value: number): Code {
  return value >= -0x40 && value < 0x40 ? value & 0x7f : [(value & 0x7f) | 0x80, signedLeb128(value >> 7)];
}

function signedLeb128Of64(value: bigint): Code {
  if (value >= -0x40n && value < 0x40n) return Number(value & 0x7fn);
  return [Number(value & 0x7fn) | 0x80, signedLeb128Of64(value >> 7n)];
}
