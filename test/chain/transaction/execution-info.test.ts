import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import {
  type ExecutionInfo,
  executionInfo,
  type KeptStatus,
  keptStatus,
  location,
} from '../../../src/chain/transaction/execution-info.ts';
import { addressOf } from '../../../src/move/address.ts';
import { executionInfoArbitrary, keptStatusArbitrary, locationArbitrary } from '../../arbitraries/execution-info.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { expectRefusal } from '../../refusal.ts';
import { readValueVectors, readVectors } from '../../vectors.ts';

describeCodec('AbortLocation', location, locationArbitrary);
describeCodec('KeptVMStatus', keptStatus, keptStatusArbitrary);
describeCodec('TransactionExecutionInfo', executionInfo, executionInfoArbitrary);

describe('kept statuses (spec/state.md 6.5)', () => {
  const owner = `${'0'.repeat(63)}2`;
  const place = { kind: 'module', address: addressOf(2), name: 'm' } as const;
  it.each<[string, KeptStatus, string]>([
    ['executed', { kind: 'executed' }, '00'],
    ['out of gas', { kind: 'out-of-gas' }, '01'],
    ['abort in a module', { kind: 'move-abort', location: place, code: 5n }, `0200${owner}016d0500000000000000`],
    ['abort in a script', { kind: 'move-abort', location: { kind: 'script' }, code: 5n }, '02010500000000000000'],
    [
      'execution failure',
      { kind: 'execution-failure', location: { kind: 'script' }, function: 258, codeOffset: 3 },
      '030102010300',
    ],
    ['miscellaneous error', { kind: 'miscellaneous-error' }, '04'],
  ])('%s', (_name, status, hex) => {
    expect(toHex(encode(keptStatus, status))).toBe(hex);
    expect(decode(keptStatus, fromHex(hex))).toEqual(status);
  });

  it('are five', () => {
    expectRefusal(() => decode(keptStatus, fromHex('05')), 'malformed-bytes', 'KeptVMStatus has no variant number 5');
    expectRefusal(() => decode(location, fromHex('02')), 'malformed-bytes', 'AbortLocation has no variant number 2');
  });
});

describe('execution infos', () => {
  it('of the test network genesis (spec/state.md 11.6)', () => {
    interface GenesisVector {
      readonly tx_hash: string;
      readonly state_root: string;
      readonly size: number;
      readonly event_root: string;
      readonly execution_info_bcs: string;
      readonly execution_info_id: string;
    }
    const { genesis_test } = readVectors<{ genesis_test: GenesisVector }>('state-model.json');
    const info: ExecutionInfo = {
      txHash: fromHex(genesis_test.tx_hash),
      stateRoot: fromHex(genesis_test.state_root),
      size: BigInt(genesis_test.size),
      eventRoot: fromHex(genesis_test.event_root),
      gasUsed: 0n,
      status: { kind: 'executed' },
    };
    const bytes = encode(executionInfo, info);
    expect(bytes).toHaveLength(218);
    expect(toHexPrefixed(bytes)).toBe(genesis_test.execution_info_bcs);
    expect(toHexPrefixed(sha3(bytes))).toBe(genesis_test.execution_info_id);
    expect(decode(executionInfo, bytes)).toEqual(info);
  });

  it('agree with the independent model', () => {
    interface ExecutionVector {
      readonly bcs: Uint8Array;
      readonly id: Uint8Array;
      readonly value: ExecutionInfo;
    }
    const { executionInfos } = readValueVectors<{ executionInfos: readonly ExecutionVector[] }>(
      'random-encodings.json',
    );
    expect(new Set(executionInfos.map(({ value }) => value.status.kind)).size).toBe(5);
    for (const { bcs, id, value } of executionInfos) {
      expect(toHex(encode(executionInfo, value))).toBe(toHex(bcs));
      expect(sha3(encode(executionInfo, value))).toEqual(id);
      expect(decode(executionInfo, bcs)).toEqual(value);
    }
  });
});
