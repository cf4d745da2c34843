/** Outcomes of steps that crossed to another thread are what they were: only plain data is copied. */
import { expect, it } from 'vitest';
import { EngineError } from '../../src/base/error.ts';
import type { ChangedFields } from '../../src/chain/object/change-set.ts';
import { ledgerTransactionHash } from '../../src/chain/transaction/ledger.ts';
import { TraceValue } from '../../src/execution/trace/kept-value.ts';
import { parseAddress } from '../../src/move/address.ts';
import { sequence } from '../../src/pipeline/sequence.ts';
import type { Outcome } from '../../src/pipeline/step.ts';
import { receivedOutcome, sentOutcome } from '../../src/pipeline/step-aside.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { blockAt } from '../forge.ts';
import { ALICE, BOB, StepChain, transfer } from './step-chain.ts';

const crossed = (outcome: Outcome): Outcome => receivedOutcome(structuredClone(sentOutcome(outcome)));

/** The same changes, as a lazy iterable that no message can copy. */
function lazy(changes: ChangedFields): ChangedFields {
  const fields = [...changes].map(([key, change]) => [key, { ...change, fields: lazy(change.fields) }] as const);
  return {
    length: fields.length,
    *[Symbol.iterator]() {
      yield* fields;
    },
  };
}

async function executed(): Promise<Outcome & { kind: 'sequenced' }> {
  const chain = await StepChain.open();
  const output = chain.send(ALICE, transfer(parseAddress(BOB.address), 1n));
  const data = blockAt(1);
  const { head } = chain.context;
  const rows = new MemoryStore();
  const sign = (): Uint8Array => new Uint8Array(64);
  const sequenced = sequence(
    rows,
    head,
    { data, hash: ledgerTransactionHash(data), signed: Uint8Array.of(1) },
    0n,
    sign,
  );
  return { kind: 'sequenced', sequenced, output };
}

it('what was executed is, but for the encoding of the transaction, which is at hand', async () => {
  const outcome = await executed();
  expect(outcome.output.events.length).toBeGreaterThan(0);
  const { changeSet } = outcome.output;
  const received = crossed({
    ...outcome,
    output: { ...outcome.output, changeSet: { ...changeSet, changes: lazy(changeSet.changes) as never } },
  });
  expect(received).toEqual({ ...outcome, sequenced: { ...outcome.sequenced, signed: undefined } });
  expect('prints' in (received as typeof outcome).output).toBe(false);
});

it('what was printed is a value again', async () => {
  const outcome = await executed();
  const type = { tag: { kind: 'u64' }, layout: { kind: 'u64' } } as const;
  const printed = new TraceValue(type, Uint8Array.of(5, 0, 0, 0, 0, 0, 0, 0));
  const received = crossed({ ...outcome, output: { ...outcome.output, prints: [printed] } }) as typeof outcome;
  const { prints } = received.output;
  expect([prints?.length, prints?.[0]?.type, prints?.[0]?.value]).toEqual([1, 'u64', 5n]);
});

it('a refusal has its code, its words and its details', () => {
  const error = new EngineError('transaction-rejected', 'no', { details: { subStatus: '1004' } });
  const received = crossed({ kind: 'refused', error });
  expect(received).toMatchObject({
    kind: 'refused',
    error: { code: 'transaction-rejected', message: 'no', details: { subStatus: '1004' } },
  });
  expect((received as { error: unknown }).error).toBeInstanceOf(EngineError);
});
