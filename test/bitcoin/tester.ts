/**
 * Reads a tester file: a block, the outputs it spends, and what the ordinals indexer logged of it.
 * Layout: bitcoin.md 11.3. Hashes carry a length in the block and none in the log. The first two files are in the shared
 * folder; the others are too large for it and need a checkout of the reference, which MOVELET_REFERENCE names.
 */
import { existsSync, readFileSync } from 'node:fs';
import { decode } from '../../src/base/bcs.ts';
import { ByteReader } from '../../src/base/bytes/reader.ts';
import {
  type BitcoinTransaction,
  type BlockHeader,
  headerHash,
  type InscriptionId,
  type Utxo,
  utxo,
} from '../../src/bitcoin/index.ts';
import type { SatPoint } from '../../src/bitcoin/outpoint.ts';
import { createTransaction } from '../../src/bitcoin/transaction.ts';
import { sharedFile, sharedPresent } from './shared.ts';

interface OrdEvent {
  readonly kind: 'create' | 'transfer';
  readonly id: InscriptionId;
  readonly placed: SatPoint | undefined;
  readonly old: SatPoint | undefined;
  readonly charms: number;
  readonly parents: readonly InscriptionId[];
}

export interface StoredUtxo {
  readonly key: Uint8Array;
  readonly owner: Uint8Array;
  readonly utxo: Utxo;
}

/** What Babylon's own indexer says of a stake. Hashes and keys are text as people write them. */
export interface StakingRecord {
  readonly transactionHash: string;
  readonly stakingOutputIndex: number;
  readonly stakerKey: string;
  readonly stakingTime: number;
  readonly providerKey: string;
  readonly stakingValue: bigint;
}

export interface TesterFile {
  readonly height: number;
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly transactions: readonly BitcoinTransaction[];
  readonly events: readonly OrdEvent[];
  readonly stakes: readonly StakingRecord[];
  readonly utxos: readonly StoredUtxo[];
}

const { MOVELET_REFERENCE: reference } = process.env;

/** Height of the last file in the shared folder. */
const SHARED_HEIGHT_MAX = 781_735;

/** The bytes of the file of a block, or undefined where it is missing. */
export function testerBytes(height: number): Uint8Array | undefined {
  const name = `${height}.tester.genesis`;
  if (sharedPresent && height <= SHARED_HEIGHT_MAX) return sharedFile(`data/blocks/${name}`);
  const path = `${reference}/crates/rooch-framework-tests/tester/${name}`;
  return existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined;
}

/** For the names of tests that want one. */
export function testerNote(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? ' (skipped: no tester file; set MOVELET_SHARED or MOVELET_REFERENCE)' : '';
}

export function readTesterFile(raw: Uint8Array, hasStakingRecords: boolean): TesterFile {
  const reader = new ByteReader(raw);
  const height = Number(reader.u64());
  const [file] = list(reader, () => {
    reader.u64();
    const header = readHeader(reader);
    const transactions = list(reader, () => readTransaction(reader));
    list(reader, () => readInscriptionId(reader));
    const events = list(reader, () => readEvent(reader));
    if (list(reader, () => readEvent(reader)).length > 0) throw new Error('expected no recorded Move events');
    const stakes = hasStakingRecords ? list(reader, () => readStakingRecord(reader)) : [];
    return { height, header, hash: headerHash(header), transactions, events, stakes };
  });
  skipMetadata(reader);
  if (reader.u8() !== 0) throw new Error('expected no value of the store');
  const utxos = list(reader, () => readStoredUtxo(reader));
  reader.finish();
  return { ...file!, utxos };
}

function list<T>(reader: ByteReader, read: () => T): T[] {
  return Array.from({ length: reader.uleb128() }, read);
}

function sized(reader: ByteReader): Uint8Array {
  return reader.view(reader.uleb128());
}

function option<T>(reader: ByteReader, read: () => T): T | undefined {
  return reader.u8() === 1 ? read() : undefined;
}

function readHeader(reader: ByteReader): BlockHeader {
  return {
    version: reader.u32(),
    previousHash: sized(reader),
    merkleRoot: sized(reader),
    time: reader.u32(),
    bits: reader.u32(),
    nonce: reader.u32(),
  };
}

function readTransaction(reader: ByteReader): BitcoinTransaction {
  return createTransaction({
    version: reader.u32(),
    lockTime: reader.u32(),
    inputs: list(reader, () => ({
      previousOutput: { txid: sized(reader), vout: reader.u32() },
      scriptSig: sized(reader),
      sequence: reader.u32(),
      witness: list(reader, () => sized(reader)),
    })),
    outputs: list(reader, () => ({ value: reader.u64(), scriptPubkey: sized(reader) })),
  });
}

function readInscriptionId(reader: ByteReader): InscriptionId {
  return { txid: reader.view(32), index: reader.u32() };
}

function readSatPoint(reader: ByteReader): SatPoint {
  return { outpoint: { txid: reader.view(32), vout: reader.u32() }, offset: reader.u64() };
}

function readEvent(reader: ByteReader): OrdEvent {
  const isTransfer = reader.uleb128() === 1;
  reader.u32();
  if (isTransfer) {
    const id = readInscriptionId(reader);
    const placed = readSatPoint(reader);
    const old = readSatPoint(reader);
    reader.u32();
    return { kind: 'transfer', id, placed, old, charms: 0, parents: [] };
  }
  const charms = reader.u16();
  const id = readInscriptionId(reader);
  const placed = option(reader, () => readSatPoint(reader));
  const parents = list(reader, () => readInscriptionId(reader));
  reader.u32();
  return { kind: 'create', id, placed, old: undefined, charms, parents };
}

function readStakingRecord(reader: ByteReader): StakingRecord {
  const text = (): string => new TextDecoder().decode(sized(reader));
  const transactionHash = text();
  const stakingOutputIndex = reader.u32();
  reader.skip(8);
  const stakerKey = text();
  const stakingTime = reader.u16();
  const providerKey = text();
  reader.skip(1);
  return { transactionHash, stakingOutputIndex, stakerKey, stakingTime, providerKey, stakingValue: reader.u64() };
}

function skipMetadata(reader: ByteReader): Uint8Array {
  reader.skip(32 * reader.uleb128());
  const owner = reader.view(32);
  reader.skip(1);
  option(reader, () => reader.skip(32));
  reader.skip(24);
  // A struct tag without type arguments: variant 7, address, module, name, no arguments.
  reader.skip(33);
  sized(reader);
  sized(reader);
  reader.skip(1);
  return owner;
}

function readStoredUtxo(reader: ByteReader): StoredUtxo {
  const key = reader.view(32);
  const owner = skipMetadata(reader);
  if (reader.u8() !== 1 || reader.uleb128() !== 0) throw new Error('expected a new value');
  const value = decode(utxo, sized(reader));
  if (reader.uleb128() !== 0) throw new Error('expected no fields');
  return { key, owner, utxo: value };
}
