/**
 * getProof: proofs of objects, fields, transactions and events, for clients that trust a root but not this node.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { type ChainProof, encodeProof } from '../../chain/proof/form.ts';
import type { PlainJson } from '../../chain/value/readable.ts';
import type { JsonValue } from './json.ts';
import { type Count, immediate, type Method } from './method.ts';
import * as param from './param.ts';

type Target =
  | { readonly kind: 'object'; readonly id: readonly Uint8Array[]; readonly key: Uint8Array | undefined }
  | { readonly kind: 'transaction'; readonly of: Uint8Array | bigint }
  | { readonly kind: 'event'; readonly order: bigint; readonly index: number };

type GivenTarget =
  | { readonly object_id: string; readonly field_key?: string | null }
  | { readonly tx_hash: string }
  | { readonly tx_order: Count; readonly event_index?: Count | null };

const EXPECTED = 'an object with object_id (and field_key), tx_hash, or tx_order (and event_index)';

function form(properties: Readonly<Record<string, param.Schema>>, ...needed: readonly string[]): param.Schema {
  return { type: 'object', properties, required: needed, additionalProperties: false };
}

const target: param.Parser<Target, GivenTarget> = {
  schema: {
    oneOf: [
      form(
        {
          object_id: param.objectIdParser.schema,
          field_key: { oneOf: [param.fieldKeyParser.schema, { type: 'null' }] },
        },
        'object_id',
      ),
      form({ tx_hash: param.hash.schema }, 'tx_hash'),
      form(
        { tx_order: param.u64Param.schema, event_index: { oneOf: [param.u32Param.schema, { type: 'null' }] } },
        'tx_order',
      ),
    ],
  },
  parse: (value) => {
    if (!param.isObject(value)) throw param.unexpected(EXPECTED, value);
    const read = <T>(name: string, parser: param.Parser<T, never>): T =>
      param.at(`.${name}`, () => parser.parse(value[name]));
    const isGiven = (name: string): boolean => value[name] !== undefined && value[name] !== null;
    const named = ['object_id', 'tx_hash', 'tx_order'].filter(isGiven);
    if (named.length !== 1) throw param.unexpected(EXPECTED, value);
    switch (named[0]) {
      case 'object_id':
        return {
          kind: 'object',
          id: read('object_id', param.objectIdParser),
          key: isGiven('field_key') ? read('field_key', param.fieldKeyParser) : undefined,
        };
      case 'tx_hash':
        return { kind: 'transaction', of: read('tx_hash', param.hash) };
      default: {
        const order = read('tx_order', param.u64Param);
        return isGiven('event_index')
          ? { kind: 'event', order, index: read('event_index', param.u32Param) }
          : { kind: 'transaction', of: order };
      }
    }
  },
};

type ProofJson = {
  /** As `proofOfJson` of `movelet/proof` reads it. */
  readonly proof: JsonValue;
  /** As `decodeProof` reads it. */
  readonly bytes: string;
};

export interface ProofMethods {
  readonly getProof: Method<[target: GivenTarget, option?: param.GivenPlace | null], ProofJson>;
}

const RESULT: param.Schema = {
  type: 'object',
  title: 'proof',
  properties: {
    proof: { type: 'object', properties: { kind: { type: 'string', enum: ['state', 'transaction', 'event'] } } },
    bytes: { type: 'string', title: 'bytes' },
  },
  required: ['proof', 'bytes'],
};

function prove(chain: ReturnType<typeof param.chainAt>, asked: Target): ChainProof {
  switch (asked.kind) {
    case 'object':
      return chain.proofs.object(asked.id, asked.key);
    case 'transaction':
      return chain.proofs.transaction(asked.of);
    case 'event':
      return chain.proofs.event(asked);
  }
}

/** A proof's JSON form is plain JSON. */
function jsonOf(proof: ChainProof): JsonValue {
  return (proof as unknown as { toJSON(): PlainJson }).toJSON() as JsonValue;
}

export const proofMethods: ProofMethods = {
  getProof: immediate({
    description:
      'Proves that an object or a field is in the state, or is not; that a transaction has its place in the ledger; or that an event is among those of its transaction. movelet/proof verifies it against a root that the client trusts.',
    params: [
      param.required('target', target, 'object_id (and field_key), tx_hash, or tx_order (and event_index)'),
      param.placeOption,
    ],
    result: RESULT,
    example: [{ object_id: '0x2::timestamp::Timestamp' }],
    handle: (context, [asked, place]: readonly [Target, param.StateOption]) => {
      const proof = prove(param.chainAt(context, place), asked);
      return { proof: jsonOf(proof), bytes: toHexPrefixed(encodeProof(proof)) };
    },
  }),
};
