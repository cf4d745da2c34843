/**
 * Wrong calls of the door `movelet/proof`, of what makes proofs, and of what an engine says of its past.
 * @module
 */
import * as door from '../../src/chain/proof/index.ts';
import { members, pages, type Table, tries, type World } from './attempts.ts';
import { ANYTHING_ELSE, NO_BYTES, NO_FLAG, NO_HASH, NO_OBJECT, NO_OBJECT_ID, NO_OPTIONS, NO_ORDER } from './values.ts';

const NO_COUNT = [undefined, null, -1, 0.5, 5n, '5', {}];

export function proofCalls({ engine }: World): Table {
  const transaction = engine.proofs.transaction(0n);
  const event = engine.proofs.event({ order: 0n, index: 0 });
  const { root, numLeaves } = engine.head.accumulator;
  const { eventRoot, eventCount } = event;
  const noKey = [...ANYTHING_ELSE, {}, [], '', 'zebra', new Uint8Array(5)];
  const past = engine.at(0n);
  return {
    'ChainView#at': tries('rootOrOrder', [...NO_HASH, -1n, 1n << 70n], (place) => engine.at(place)),
    'ChainView#diff': [
      ...tries('after', [undefined, ...NO_HASH, 1n], (after) => engine.diff(after as never)),
      ...members({ limit: [null, 0, -1, 0.5, 5n, 1e9], cursor: NO_OBJECT_ID.slice(1) }, (given) =>
        past.diff(past, given),
      ),
      ...tries('options', NO_OPTIONS, (options) => past.diff(past, options)),
      ...tries('limt', [5], (limt) => past.diff(past, { limt } as never)),
    ],
    'StateChange#membersUpTo': tries('limit', [undefined, null, -1, 0.5, 5n, Number.NaN, '5'], async (limit) => {
      const { data } = await engine.objects.history('0x2::timestamp::Timestamp');
      return data[0]!.change.membersUpTo(limit);
    }),
    'ObjectVersion#fieldsUpTo': tries('limit', [undefined, null, -1, 0.5, 5n, 1e9], async (limit) => {
      const { data } = await engine.objects.history('0x2::timestamp::Timestamp');
      return data[0]!.fieldsUpTo(limit);
    }),
    'ObjectQueries#history': [
      ...tries('id', [...NO_OBJECT_ID, []], (id) => engine.objects.history(id)),
      ...tries('fields', NO_FLAG, (fields) => engine.objects.history('0x3', { fields })),
      ...tries('options', NO_OPTIONS, (options) => engine.objects.history('0x3', options)),
      ...pages((page) => engine.objects.history('0x3', page), ['x', 5, null, {}, new Uint8Array(32)]).filter(
        ({ name }) => name !== 'page',
      ),
    ],
    'ObjectQueries#blame': [
      ...tries('id', [...NO_OBJECT_ID, []], (id) => engine.objects.blame(id)),
      ...tries('fieldKey', noKey, (key) => engine.objects.blame('0x3', key)),
    ],
    'ProofQueries#object': [
      ...tries('id', [...NO_OBJECT_ID, []], (id) => engine.proofs.object(id)),
      ...tries('fieldKey', noKey, (key) => engine.proofs.object('0x3', key)),
    ],
    'ProofQueries#transaction': tries('hashOrOrder', [undefined, ...NO_HASH, -1n, 1n << 70n], (given) =>
      engine.proofs.transaction(given),
    ),
    'ProofQueries#event': [
      ...tries('position', [...NO_OBJECT, [], { order: 0n, index: 9_999 }, { order: 1n << 70n, index: 0 }], (given) =>
        engine.proofs.event(given),
      ),
      ...tries('position.order', NO_ORDER, (order) => engine.proofs.event({ order, index: 0 })),
      ...tries('position.index', NO_COUNT, (index) => engine.proofs.event({ order: 0n, index })),
    ],
    decodeProof: tries('bytes', NO_BYTES, (bytes) => door.decodeProof(bytes)),
    encodeProof: tries('proof', [...NO_OBJECT, {}, [], { kind: 'state' }, { kind: 'other' }], (proof) =>
      door.encodeProof(proof),
    ),
    proofOfJson: [
      ...tries('json', [...ANYTHING_ELSE, undefined, 'text', [], '5'], (json) => door.proofOfJson(json)),
      ...tries('json.kind', [{}, { kind: 5 }, '{}'], (json) => door.proofOfJson(json)),
      ...tries(
        'json.stateRoot',
        [
          { kind: 'state', id: '0x' },
          { kind: 'state', id: '0x', stateRoot: 'ab' },
        ],
        (json) => door.proofOfJson(json),
      ),
      ...tries('json.root', [{ kind: 'event', root: '0x' }], (json) => door.proofOfJson(json)),
    ],
    verifyEventProof: [
      ...tries('proof', [...NO_OBJECT, {}, [], { ...event, siblings: 5 }, { ...event, eventData: 'x' }], (proof) =>
        door.verifyEventProof(proof, { eventRoot, eventCount }),
      ),
      ...tries('proof.kind', [transaction], (proof) => door.verifyEventProof(proof, { eventRoot, eventCount })),
      ...tries('events', NO_OBJECT, (events) => door.verifyEventProof(event, events)),
      ...tries('events.eventRoot', [undefined, ...NO_HASH], (wrong) =>
        door.verifyEventProof(event, { eventRoot: wrong, eventCount }),
      ),
      ...tries('events.eventCount', NO_COUNT, (count) =>
        door.verifyEventProof(event, { eventRoot, eventCount: count }),
      ),
    ],
    verifyTransactionProof: [
      ...tries(
        'proof',
        [...NO_OBJECT, {}, [], { ...transaction, siblings: 5 }, { ...transaction, transactionKind: 'l3' }],
        (proof) => door.verifyTransactionProof(proof, { root, numLeaves }),
      ),
      ...tries('accumulator', NO_OBJECT, (given) => door.verifyTransactionProof(transaction, given)),
      ...tries('accumulator.root', [undefined, ...NO_HASH], (wrong) =>
        door.verifyTransactionProof(transaction, { root: wrong, numLeaves }),
      ),
      ...tries('accumulator.numLeaves', NO_ORDER, (count) =>
        door.verifyTransactionProof(transaction, { root, numLeaves: count }),
      ),
    ],
  };
}
