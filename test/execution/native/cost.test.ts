/**
 * How long every native takes for its price, at its worst input: a search over families of inputs (worst-inputs.ts)
 * and their sizes, in a long run; a short one has one size. The table is printed; what is asserted is counted, not
 * timed: that the work of natives whose gas does not bound it grows with what they are given.
 *
 * At 6c57e4c the gas of one view bought 50 h of `cbor::to_cbor`, 37 h of `rlp::to_bytes`, 19 min of `string::index_of`,
 * 276 s of `base58::encoding`, 46 s of `base58::decoding`, 31 s of `json::to_json`.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { VIEW_GAS_MAX } from '../../../src/base/config.ts';
import { GENESIS_GAS_ENTRIES } from '../../../src/execution/framework/gas-schedule.ts';
import type { SessionHost } from '../../../src/execution/runtime/session-host.ts';
import type { NativeFunction } from '../../../src/vm/native.ts';
import { Cell } from '../../../src/vm/value/reference.ts';
import { ArrayVector, ByteVector } from '../../../src/vm/value/vector.ts';
import { isLong } from '../../effort.ts';
import { frameworkNatives } from './declared-natives.ts';
import { DirectCalls, type NativeInput, NativeTypes, nativesAt } from './direct-call.ts';
import { type Family, SHAPES, worstInputs } from './worst-inputs.ts';

/** Gas units of Move code that run in a microsecond: what a native's gas would buy otherwise. */
const GAS_PER_MICROSECOND = 4_000;
/** The least that a call of a native costs in Move code: the call, an argument, and what is done with the result. */
const CALL_GAS = 3_676 + 220 + 147 + 294;
const LENGTHS: readonly number[] = isLong ? [16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144] : [512];
/** Microseconds of one input after which longer ones are left out. */
const TOOK_MAX = 500_000;

const NATIVES = nativesAt(new Map(GENESIS_GAS_ENTRIES));
const types = new NativeTypes([SHAPES]);
const FAMILIES = worstInputs(types.of);

interface Cost {
  /** Microseconds, of one call. */
  readonly took: number;
  readonly gas: number;
  /** Microseconds that were counted. */
  readonly work: number;
}

interface Worst extends Cost {
  readonly family: string;
  readonly length: number;
  /** Microseconds taken for each that is paid or counted. */
  readonly ratio: number;
}

/** Calls a native with each of some equal inputs. */
function callEach(native: NativeFunction<SessionHost>, inputs: readonly NativeInput[]): Cost {
  const calls = new DirectCalls(types);
  const begun = performance.now();
  for (const input of inputs) calls.call(native, input);
  const took = (performance.now() - begun) * 1_000;
  return {
    took: took / inputs.length,
    gas: CALL_GAS + calls.gas / inputs.length,
    work: calls.work / inputs.length,
  };
}

const paid = ({ gas, work }: Cost): number => work + gas / GAS_PER_MICROSECOND;

/** The least of some rounds: what else the machine does is not the native's. Best read when nothing else runs. */
function measure(native: NativeFunction<SessionHost>, family: Family, length: number): Cost {
  let least = callEach(native, [family(length)]);
  for (let round = 0; round < (isLong ? 6 : 2) && least.took < TOOK_MAX / 10; round++) {
    const count = Math.max(1, Math.min(isLong ? 50 : 10, Math.floor(500 / Math.max(1, least.took))));
    const inputs = Array.from({ length: count }, () => family(length));
    const cost = callEach(native, inputs);
    if (cost.took < least.took) least = cost;
  }
  return least;
}

function search(name: string): Worst {
  const native = NATIVES.get(name)!;
  let worst: Worst | undefined;
  for (const [family, make] of Object.entries(FAMILIES[name]!)) {
    for (const length of LENGTHS) {
      const cost = measure(native, make, length);
      const ratio = cost.took / paid(cost);
      if (worst === undefined || ratio > worst.ratio) worst = { ...cost, family, length, ratio };
      if (cost.took > TOOK_MAX || cost.gas > Number(VIEW_GAS_MAX)) break;
    }
  }
  return worst!;
}

/**
 * Natives whose gas does not bound their time, with the least microseconds that they count for each byte of their
 * input. Byte strings count least; most natives count a microsecond for each of the smallest items.
 */
const COUNTED: Readonly<Record<string, number>> = {
  '0x1::string::internal_index_of': 1 / 200,
  '0x2::ability::native_get_abilities': 0.1,
  '0x2::base58::encoding': 1,
  '0x2::base58::checksum_encoding': 1,
  '0x2::base58::decoding': 0.5,
  '0x2::base58::checksum_decoding': 0.5,
  '0x2::base64::encode': 0.05,
  '0x2::base64::decode': 0.05,
  '0x2::bcs::native_from_bytes': 0.1,
  '0x2::bech32::encode': 0.05,
  '0x2::bech32::decode': 0.05,
  '0x2::bech32::segwit_decode': 0.05,
  '0x2::cbor::native_from_cbor': 0.25,
  '0x2::cbor::native_to_cbor': 0.02,
  '0x2::hash::keccak256': 0.04,
  '0x2::hash::blake2b256': 0.025,
  '0x2::hash::ripemd160': 0.016,
  '0x2::json::native_from_json': 0.2,
  '0x2::json::native_to_json': 0.02,
  '0x2::move_module::module_id_inner': 0.2,
  '0x2::move_module::sort_and_verify_modules_inner': 0.2,
  '0x2::move_module::check_compatibililty_inner': 0.2,
  '0x2::move_module::replace_identifiers': 0.6,
  '0x2::rlp::to_bytes': 0.02,
  '0x2::rlp::from_bytes': 0.25,
  '0x3::bitcoin_address::parse': 0.05,
  '0x4::ord::from_witness': 0.5,
};

/** Bytes in what a native is given: of byte strings and of modules as they are, of other values as BCS has them. */
function bytesOf({ given, typeArguments }: NativeInput): number {
  const [of] = typeArguments ?? [];
  const length = (value: unknown): number => {
    if (value instanceof ByteVector) return value.length;
    if (value instanceof ArrayVector && of === undefined)
      return value.items.reduce<number>((sum, item) => sum + length(item), 0);
    return 0;
  };
  const plain = given.reduce<number>((sum, value) => sum + length(value), 0);
  if (plain > 0 || of === undefined) return plain;
  const value = given.at(-1);
  return value instanceof Cell ? 0 : of.encode(value).length;
}

const found = new Map<string, Worst>();

describe('a native', () => {
  afterAll(() => {
    const rows = [...found].sort(([, a], [, b]) => b.ratio - a.ratio);
    const seconds = ({ took, gas }: Worst): string => ((took * Number(VIEW_GAS_MAX)) / gas / 1e6).toFixed(1);
    const lines = rows.map(
      ([name, worst]) =>
        `${worst.ratio.toFixed(2).padStart(8)}  ${name.padEnd(52)} ${worst.took.toFixed(0).padStart(8)} us  ${String(worst.work).padStart(8)} counted  ${seconds(worst).padStart(10)} s for a view's gas  ${worst.length} (${worst.family})`,
    );
    console.info(`microseconds for each that is paid or counted, worst first\n${lines.join('\n')}`);
  });

  it('of the framework has inputs here, whichever it is', () => {
    expect(Object.keys(FAMILIES).sort()).toEqual([...frameworkNatives().keys(), '0x2::test_helper::destroy'].sort());
  });

  it.each(Object.keys(FAMILIES))(`%s is searched${isLong ? '' : ' (one size: no long run)'}`, (name) => {
    found.set(name, search(name));
  });

  it.each(Object.entries(COUNTED))('%s counts at least %f us for a byte before it is done', (name, rate) => {
    for (const [family, make] of Object.entries(FAMILIES[name]!)) {
      const input = make(2_048);
      const bytes = bytesOf(input);
      const { work } = callEach(NATIVES.get(name)!, [input]);
      expect(work, `${family}: ${bytes} bytes`).toBeGreaterThanOrEqual(Math.floor(bytes * rate * 0.9));
    }
  });

  it('counts the elements of a vector that is pushed, if they are many', () => {
    const native = NATIVES.get('0x1::vector::push_back')!;
    const family = FAMILIES['0x1::vector::push_back']!['a vector of empty vectors']!;
    expect(callEach(native, [family(256)]).work).toBe(0);
    expect(callEach(native, [family(2_000)]).work).toBe(100);
  });

  it('counts each list that JSON leaves out', () => {
    const family = FAMILIES['0x2::json::native_from_json']!['lists for nothing']!;
    const { work } = callEach(NATIVES.get('0x2::json::native_from_json')!, [family(2_048)]);
    expect(work).toBeGreaterThanOrEqual(1_024 * 60);
  });
});
