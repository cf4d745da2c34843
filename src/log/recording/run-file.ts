/**
 * The file of a recorded run: where the chain began, then in order each commit and each return to an earlier moment.
 * Replaying the same inputs with the same clock readings gives the same roots on any machine.
 *
 * A commit has the form that it has in the records of a commit log, without what it changed: a replay executes its
 * input, and comparing the roots shows that the result is the same.
 *
 * Layout: `magic (8) | frames`. A frame is `length (4) | CRC-32 of the payload (4) | payload`, numbers little endian;
 * the first payload is the version (1) and the header in BCS; each other payload is an entry in BCS. A file written
 * while the chain runs may end within a frame: that frame is ignored, and the caller is told.
 * @module
 */
import {
  bool,
  bytes,
  bytes32,
  type Codec,
  decode,
  encode,
  option,
  payload,
  string,
  struct,
  u8,
  u32,
  u64,
  u256,
  variant,
} from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { crc32 } from '../../store/row-checksum.ts';
import { type RecordedCommit, recordedCommit } from '../record.ts';

/** 'movelet' and a byte that text files do not contain, different from that of dumps. */
const MAGIC: Uint8Array = Uint8Array.of(0x6d, 0x6f, 0x76, 0x65, 0x6c, 0x65, 0x74, 0xd1);

/** The run format version written and read here. */
const RUN_VERSION = 2;

const FRAME_HEADER_BYTES = 8;

/** The settings of the framework's genesis, besides the chain id. */
interface GenesisStart {
  readonly bitcoinNetwork: string;
  readonly reorganisationDepth: bigint;
  readonly accountBalance: bigint;
}

/** A fork of another node's chain: its state is that node's at the order and the root of the header. */
interface ForkStart {
  /** The node's address, without user and password, path and query. */
  readonly remote: string;
}

/** How a run begins: with the framework's genesis, with a dump of a chain in the file, or where another node's chain is. */
export type RunStart =
  | ({ readonly kind: 'genesis' } & GenesisStart)
  | { readonly kind: 'dump'; readonly dump: Uint8Array }
  | ({ readonly kind: 'fork' } & ForkStart);

/** Which checks the engine made on its inputs. */
export interface RunSettings {
  readonly verifySignatures: boolean;
  readonly checkParent: boolean | undefined;
  readonly checkWork: boolean | undefined;
  readonly headersOnly: boolean | undefined;
}

export interface RunHeader {
  /** Version of the program that recorded it. */
  readonly version: string;
  readonly genesisHash: Uint8Array;
  readonly chainId: bigint;
  /** Where the chain is before the first entry. */
  readonly order: bigint;
  readonly stateRoot: Uint8Array;
  readonly accumulatorRoot: Uint8Array;
  readonly settings: RunSettings;
  readonly start: RunStart;
}

/** The chain went back to an earlier moment: 0 is the beginning of the run, n is after the n-th input of the file. */
interface ReturnEntry {
  readonly moment: number;
}

export type RunEntry = ({ readonly kind: 'commit' } & RecordedCommit) | ({ readonly kind: 'return' } & ReturnEntry);

const settings: Codec<RunSettings> = struct<RunSettings>({
  verifySignatures: bool,
  checkParent: option(bool),
  checkWork: option(bool),
  headersOnly: option(bool),
});

const start: Codec<RunStart> = variant<RunStart>('RunStart', [
  payload<RunStart, 'genesis'>(
    'genesis',
    struct<GenesisStart>({ bitcoinNetwork: string, reorganisationDepth: u64, accountBalance: u256 }),
  ),
  payload<RunStart, 'dump'>('dump', struct<{ readonly dump: Uint8Array }>({ dump: bytes })),
  payload<RunStart, 'fork'>('fork', struct<ForkStart>({ remote: string })),
]);

const runHeader: Codec<RunHeader> = struct<RunHeader>({
  version: string,
  genesisHash: bytes32,
  chainId: u64,
  order: u64,
  stateRoot: bytes32,
  accumulatorRoot: bytes32,
  settings,
  start,
});

const runEntry: Codec<RunEntry> = variant<RunEntry>('RunEntry', [
  payload<RunEntry, 'commit'>('commit', recordedCommit),
  payload<RunEntry, 'return'>('return', struct<ReturnEntry>({ moment: u32 })),
]);

/** The first payload. The version determines the form of the header. */
const versionedHeader: Codec<RunHeader> = {
  write: (writer, header) => {
    u8.write(writer, RUN_VERSION);
    runHeader.write(writer, header);
  },
  read: (reader) => {
    const version = reader.u8();
    if (version === RUN_VERSION) return runHeader.read(reader);
    throw new EngineError(
      'format-unknown',
      `expected a recorded run of version ${RUN_VERSION}, got version ${version}: replay it with the movelet that recorded it, or a later one`,
      { details: { expected: RUN_VERSION, received: version } },
    );
  },
};

export function encodeRunHeader(header: RunHeader): Uint8Array {
  return frame(encode(versionedHeader, header), MAGIC);
}

export function encodeRunEntry(entry: RunEntry): Uint8Array {
  return frame(encode(runEntry, entry));
}

function frame(content: Uint8Array, before: Uint8Array = new Uint8Array(0)): Uint8Array {
  const framed = new Uint8Array(before.length + FRAME_HEADER_BYTES + content.length);
  framed.set(before);
  const view = new DataView(framed.buffer, before.length);
  view.setUint32(0, content.length, true);
  view.setUint32(4, crc32(content), true);
  framed.set(content, before.length + FRAME_HEADER_BYTES);
  return framed;
}

export interface RunFile {
  readonly header: RunHeader;
  /** BCS of the entries: `decodeRunEntry` decodes each one when its turn comes. */
  readonly entries: readonly Uint8Array[];
  /** Whether the file ends within an entry; that entry is left out. */
  readonly isTorn: boolean;
}

/**
 * Reads a file.
 * @throws {EngineError} `malformed-bytes` for bytes that are not a recorded run or end within its header;
 * `format-unknown` for a run of another version; `corrupt` for an altered run.
 */
export function readRunFile(file: Uint8Array): RunFile {
  if (!equalBytes(file.subarray(0, MAGIC.length), MAGIC)) {
    throw new EngineError('malformed-bytes', 'expected a recorded run: a file as record(engine) or --record writes it');
  }
  const { payloads, isTorn } = readFrames(file, MAGIC.length);
  const [first, ...entries] = payloads;
  if (first === undefined) {
    throw new EngineError('malformed-bytes', 'the recorded run ends within its header: nothing of it can be replayed');
  }
  return { header: decode(versionedHeader, first), entries, isTorn };
}

/** @throws {EngineError} `malformed-bytes` */
export function decodeRunEntry(entry: Uint8Array): RunEntry {
  return decode(runEntry, entry);
}

function readFrames(file: Uint8Array, from: number): { readonly payloads: Uint8Array[]; readonly isTorn: boolean } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const payloads: Uint8Array[] = [];
  let at = from;
  while (at < file.length) {
    const begin = at + FRAME_HEADER_BYTES;
    if (begin > file.length) return { payloads, isTorn: true };
    const end = begin + view.getUint32(at, true);
    if (end > file.length) {
      if (payloads.length > 0 && isWhole(file, begin, view.getUint32(at + 4, true))) throw changed(payloads.length, at);
      return { payloads, isTorn: true };
    }
    const content = file.subarray(begin, end);
    if (content.length === 0 || crc32(content) !== view.getUint32(at + 4, true)) {
      // After a crash, the file may have the last frame's length but not its bytes.
      if (end === file.length || file.subarray(begin).every((byte) => byte === 0)) return { payloads, isTorn: true };
      throw changed(payloads.length, at);
    }
    payloads.push(content);
    at = end;
  }
  return { payloads, isTorn: false };
}

/**
 * Whether a frame that is longer than what is left of the file has its checksum at another length, and something sound
 * after it: then the file was not cut, but the length was changed.
 */
function isWhole(file: Uint8Array, begin: number, checksum: number): boolean {
  let crc = 0;
  for (let end = begin; end < file.length; ) {
    crc = crc32(file.subarray(end, end + 1), crc);
    end++;
    if (crc === checksum && (end === file.length || isFrame(file.subarray(end)))) return true;
  }
  return false;
}

/** Whether a frame begins here, and is whole. */
function isFrame(bytes: Uint8Array): boolean {
  if (bytes.length < FRAME_HEADER_BYTES) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, FRAME_HEADER_BYTES);
  const end = FRAME_HEADER_BYTES + view.getUint32(0, true);
  return end <= bytes.length && crc32(bytes.subarray(FRAME_HEADER_BYTES, end)) === view.getUint32(4, true);
}

function changed(frame: number, byte: number): EngineError {
  return new EngineError(
    'corrupt',
    `the recorded run was changed: frame ${frame}, at byte ${byte}, does not have its checksum`,
    { details: { frame, byte } },
  );
}
