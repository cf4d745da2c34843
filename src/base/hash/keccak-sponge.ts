/**
 * The sponge of SHA3-256 as WebAssembly code, which has 64-bit words and rotations: 0.4 us per block, where JavaScript
 * takes ten times that.
 * Its module is written by hand, as a list of instructions.
 * Source: FIPS 202, sections 3 and 4; WebAssembly core specification 1.0, section 5.
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
type Code = number | readonly Code[];

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
const I64_AND = 0x83;
const I64_XOR = 0x85;
const I64_ROTL = 0x89;

const get = (local: number): Code => [LOCAL_GET, leb128(local)];
const set = (local: number): Code => [LOCAL_SET, leb128(local)];
/** Sets a local, and leaves the value on the stack. */
const tee = (local: number): Code => [LOCAL_TEE, leb128(local)];
const constant = (value: bigint): Code => [I64_CONST, signedLeb128Of64(value)];
/** The lower 32 bits of a number. */
const constant32 = (value: number): Code => [I32_CONST, signedLeb128(value | 0)];
/** The 64 bits at the address in a parameter. */
const load = (address: number, offset: number): Code => [get(address), I64_LOAD, 3, leb128(offset)];
/** Stores what `code` leaves. */
const store = (address: number, offset: number, code: Code): Code => [
  get(address),
  code,
  [I64_STORE, 3, leb128(offset)],
];
/** An address: that in a parameter plus `offset` bytes, or `offset` alone. */
const address = (offset: number, parameter?: number): Code => {
  const bytes = constant32(offset);
  return parameter === undefined ? bytes : [get(parameter), bytes, I32_ADD];
};
/** Calls the function of this index with what the parts of `code` leave. */
const call = (index: number, ...code: readonly Code[]): Code => [code, CALL, leb128(index)];

/** Repeats `body`, adding `step` to a 32-bit local each time, until the local is `end`. */
const repeat = (local: number, step: number, end: Code, body: Code): Code => [
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
function instantiate<Exports>(functions: readonly WasmFunction[], memoryBytes: number): Exports | undefined {
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

const ROUNDS = 24;
const SIDE = 5;
const LANES = SIDE * SIDE;
const LANE_BYTES = 8;
const DIGEST_LANES = 4;
const BLOCK_LANES = LANES - 2 * DIGEST_LANES;

/** Bytes that are absorbed at a time. */
export const BLOCK_BYTES: number = BLOCK_LANES * LANE_BYTES;

/** The round constants are at the start of the memory. */
const CONSTANTS_BYTES = ROUNDS * LANE_BYTES;

/** Pairs have a block of their own, whose padding never changes. */
const PAIR_AT = CONSTANTS_BYTES;

/** From here on the memory belongs to the caller. */
export const FREE_AT: number = PAIR_AT + BLOCK_BYTES;

/** Places are byte offsets in the memory. */
export interface KeccakSponge {
  readonly memory: Uint8Array;
  /** Writes the digest of a padded message of `blocks` blocks, at least one, to `to`. */
  readonly absorb: (from: number, blocks: number, to: number) => void;
  /** Writes the digest of two joined hashes to `to`, which may be the place of one of them. */
  readonly absorbPair: (left: number, right: number, to: number) => void;
}

/** A sponge with `bytes` of memory for the caller; undefined if the host has no WebAssembly, or does not allow it. */
export function keccakSponge(bytes: number): KeccakSponge | undefined {
  const exports = instantiate<Exports>(
    [
      { name: 'absorb', parameters: 4, locals: 2 * LANES + 2 * SIDE, code: spongeCode() },
      { name: 'absorbPair', parameters: 4, code: pairCode() },
    ],
    FREE_AT + bytes,
  );
  if (exports === undefined) return undefined;
  const { absorb, absorbPair } = exports;
  const memory = new Uint8Array(exports.memory.buffer);
  const constants = new DataView(exports.memory.buffer, 0, CONSTANTS_BYTES);
  for (const [round, value] of roundConstants().entries()) constants.setBigUint64(round * LANE_BYTES, value, true);
  pad(memory, PAIR_AT + 2 * DIGEST_LANES * LANE_BYTES, PAIR_AT + BLOCK_BYTES);
  return {
    memory,
    absorb: (from, blocks, to) => absorb(from, blocks, to, 0),
    absorbPair: (left, right, to) => absorbPair(left, right, to, 0),
  };
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly absorb: (from: number, blocks: number, to: number, counter: number) => void;
  readonly absorbPair: (left: number, right: number, to: number, zero: number) => void;
}

/** Fills the last block of a message after its end: the two bits of SHA-3, and the padding. */
export function pad(memory: Uint8Array, from: number, end: number): void {
  memory.fill(0, from, end);
  memory[from] = 0x06;
  memory[end - 1]! |= 0x80;
}

/** By the shift register of section 3.2.5. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let value = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if ((register & 1) === 1) value ^= 1n << BigInt((1 << bit) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    return value;
  });
}

/** By how many bits the lane at each place is rotated: section 3.2.2. */
function rotations(): number[] {
  const bits = Array<number>(LANES).fill(0);
  for (let [step, x, y] = [0, 1, 0]; step < ROUNDS; step++, [x, y] = [y, (2 * x + 3 * y) % SIDE]) {
    bits[x + SIDE * y] = (((step + 1) * (step + 2)) / 2) % 64;
  }
  return bits;
}

/** Section 4: the lanes are zeros at first. */
function spongeCode(): Code {
  // The parameters, the last of which is only a count, followed by the locals.
  const [from, blocks, to, counter, firstLane] = [0, 1, 2, 3, 4];
  const lanes = Array.from({ length: LANES }, (_, lane) => firstLane + lane);
  const taken = lanes.slice(0, BLOCK_LANES);
  const block = [
    taken.map((local, lane) => [get(local), load(from, LANE_BYTES * lane), I64_XOR, set(local)]),
    address(0),
    set(counter),
    repeat(counter, LANE_BYTES, constant32(CONSTANTS_BYTES), roundCode(lanes, load(counter, 0))),
    address(BLOCK_BYTES, from),
    set(from),
  ];
  return [
    repeat(blocks, -1, constant32(0), block),
    lanes.slice(0, DIGEST_LANES).map((local, lane) => store(to, LANE_BYTES * lane, get(local))),
  ];
}

/** Calls the function above, which has index 0, for the block of pairs. */
function pairCode(): Code {
  const [left, right, to, zero] = [0, 1, 2, 3];
  const lanes = Array.from({ length: DIGEST_LANES }, (_, lane) => LANE_BYTES * lane);
  return [
    lanes.map((at) => store(zero, PAIR_AT + at, load(left, at))),
    lanes.map((at) => store(zero, PAIR_AT + DIGEST_LANES * LANE_BYTES + at, load(right, at))),
    call(0, address(PAIR_AT), address(1), get(to), get(zero)),
  ];
}

/** Sections 3.2.1 to 3.2.5. */
function roundCode(lanes: readonly number[], roundConstant: Code): Code {
  const behind = lanes[0]! + LANES;
  const moved = (x: number, y: number): number => behind + (x % SIDE) + SIDE * y;
  const parities = Array.from({ length: SIDE }, (_, x) => behind + LANES + x);
  const effects = Array.from({ length: SIDE }, (_, x) => behind + LANES + SIDE + x);
  const turns = rotations();
  const xor = (left: Code, right: Code): Code => [left, right, I64_XOR];
  const code: Code[] = [];
  for (const [x, parity] of parities.entries()) {
    const columnLanes = lanes.filter((_, lane) => lane % SIDE === x).map(get);
    code.push(columnLanes.reduce(xor), set(parity));
  }
  for (const [x, effect] of effects.entries()) {
    const next = [get(parities[(x + 1) % SIDE]!), constant(1n), I64_ROTL];
    code.push(xor(get(parities[(x + 4) % SIDE]!), next), set(effect));
  }
  for (const [lane, local] of lanes.entries()) {
    const [x, y] = [lane % SIDE, Math.floor(lane / SIDE)];
    code.push(xor(get(local), get(effects[x]!)), constant(BigInt(turns[lane]!)), I64_ROTL);
    code.push(set(moved(y, (2 * x + 3 * y) % SIDE)));
  }
  for (const [lane, local] of lanes.entries()) {
    const [x, y] = [lane % SIDE, Math.floor(lane / SIDE)];
    const others = [xor(get(moved(x + 1, y)), constant(-1n)), get(moved(x + 2, y)), I64_AND];
    const result = xor(get(moved(x, y)), others);
    code.push(lane === 0 ? xor(result, roundConstant) : result, set(local));
  }
  return code;
}
