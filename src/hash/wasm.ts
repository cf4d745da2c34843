/**
 * WebAssembly modules, put together from instructions: for arithmetic that takes numbers of 64 bits, which JavaScript has
 * only as BigInt, at five times the cost.
 *
 * A function takes 32-bit numbers (mostly addresses), returns nothing and works on the module's one memory, which is
 * exported as `memory`. Source: the binary format of the WebAssembly core specification, section 5.
 * @module
 */
import { encodeUtf8 } from '../bytes/utf8.ts';

/** The part of the host's WebAssembly that is used here; the declarations of Node have none. */
interface Host {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

/** An exported function of a module. */
export type WasmExport = (...parameters: readonly number[]) => void;

export interface WasmInstance<Name extends string> {
  readonly memory: ArrayBuffer;
  readonly functions: Readonly<Record<Name, WasmExport>>;
}

const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, function: 3, memory: 5, export: 7, code: 10 } as const;
const I32 = 0x7f;
const I64 = 0x7e;
const END = 0x0b;

const OPERATION = { add: 0x7c, sub: 0x7d, mul: 0x7e, and: 0x83, shl: 0x86, shr: 0x88 } as const;

/** Two operands of 64 bits are taken from the stack, the result is put there. */
export type Operation = keyof typeof OPERATION;

/** The body of one function. Methods append an instruction. */
export class WasmFunction {
  readonly parameters: number;
  readonly #code: number[] = [];
  #locals = 0;

  constructor(parameters: number) {
    this.parameters = parameters;
  }

  /** Declares a local of 64 bits. */
  local(): number {
    return this.parameters + this.#locals++;
  }

  get(local: number): this {
    return this.#push(0x20, ...unsigned(local));
  }

  set(local: number): this {
    return this.#push(0x21, ...unsigned(local));
  }

  constant(value: bigint): this {
    return this.#push(0x42, ...signed(value));
  }

  operate(operation: Operation): this {
    return this.#push(OPERATION[operation]);
  }

  /** Puts the 32 bits on the stack, as a number of 64 bits, that stand `offset` bytes behind the address in `local`. */
  load32(local: number, offset: number): this {
    return this.get(local).#push(0x35, 2, ...unsigned(offset));
  }

  /** Stores the low 32 bits of what `value` leaves on the stack `offset` bytes behind the address in `local`. */
  store32(local: number, offset: number, value: () => void): this {
    this.get(local);
    value();
    return this.#push(0x3e, 2, ...unsigned(offset));
  }

  /** Puts an address on the stack: `offset` bytes behind the one in `local`, or `offset` itself. */
  address(local: number | undefined, offset: number): this {
    if (local === undefined) return this.#push(0x41, ...signed(BigInt(offset)));
    return this.get(local).#push(0x41, ...signed(BigInt(offset)), 0x6a);
  }

  /** Calls the function at `index` of the module, whose parameters stand on the stack. */
  call(index: number): this {
    return this.#push(0x10, ...unsigned(index));
  }

  /** The entry of the code section. */
  get bytes(): number[] {
    const locals = this.#locals === 0 ? [0] : [1, ...unsigned(this.#locals), I64];
    return sized([...locals, ...this.#code, END]);
  }

  #push(...bytes: readonly number[]): this {
    for (const byte of bytes) this.#code.push(byte);
    return this;
  }
}

/**
 * Makes an instance whose memory has `pages` pages of 64 KiB, zeros at first.
 * @param functions numbered in their order, all exported
 * @returns undefined where the host has no WebAssembly, or no memory for it
 */
export function instantiate<Name extends string>(
  functions: Readonly<Record<Name, WasmFunction>>,
  pages: number,
): WasmInstance<Name> | undefined {
  const host = (globalThis as { WebAssembly?: Host }).WebAssembly;
  if (host === undefined) return undefined;
  try {
    const { exports } = new host.Instance(new host.Module(moduleBytes(functions, pages)));
    const { buffer } = exports['memory'] as { readonly buffer: ArrayBuffer };
    return { memory: buffer, functions: exports as Record<Name, WasmExport> };
  } catch {
    // A host that forbids code made at run time, or has no room, says so here; its caller has another way.
    return undefined;
  }
}

function moduleBytes(functions: Readonly<Record<string, WasmFunction>>, pages: number): Uint8Array {
  const named = Object.entries(functions);
  const most = Math.max(...named.map(([, { parameters }]) => parameters));
  // The type at index n has n parameters.
  const types = Array.from({ length: most + 1 }, (_, count) => [
    0x60,
    ...unsigned(count),
    ...new Array<number>(count).fill(I32),
    0,
  ]);
  const exported = named.map(([name], index) => [...sized([...encodeUtf8(name)]), 0, ...unsigned(index)]);
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(SECTION.type, types),
    ...section(
      SECTION.function,
      named.map(([, { parameters }]) => unsigned(parameters)),
    ),
    ...section(SECTION.memory, [[1, ...unsigned(pages), ...unsigned(pages)]]),
    ...section(SECTION.export, [...exported, [...sized([...encodeUtf8('memory')]), 2, 0]]),
    ...section(
      SECTION.code,
      named.map(([, { bytes }]) => bytes),
    ),
  ]);
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  return [id, ...sized([...unsigned(items.length), ...items.flat()])];
}

function sized(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

/** Unsigned LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}

/** Signed LEB128. */
function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn);
    if (rest >= -64n && rest < 64n) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}
