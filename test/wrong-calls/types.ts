/**
 * Wrong calls of the door `movelet/transaction`.
 * @module
 */

import { GAS_COIN_TYPE } from '../../src/index.ts';
import * as types from '../../src/query/transaction-builder.ts';
import { DATA, type Table, tries } from './attempts.ts';
import { ANYTHING_ELSE, NO_BYTES, NO_OBJECT, NO_STRUCT, NO_TEXT, NO_TYPE } from './values.ts';

export function typesCalls(): Table {
  const gas = GAS_COIN_TYPE;
  const NO_PROOF = { leaf: undefined, siblings: [], neighbour: undefined };
  const { typeTag, objectMeta, transactionData } = types;
  const bytes32 = new Uint8Array(32);
  const noBytes32 = [...NO_BYTES, new Uint8Array(5)];
  const noStruct = NO_STRUCT.filter((given) => typeof given !== 'string').concat(
    '0x3::a::B',
    { ...gas, address: 'x' },
    { ...gas, name: 5 },
  );
  const noType = NO_TYPE.filter((given) => typeof given !== 'string').concat(
    'u64',
    { kind: 'vector' },
    { kind: 'struct', struct: {} },
  );
  const noParts = [undefined, ...ANYTHING_ELSE, {}, 'text', ['0x3'], [5], [new Uint8Array(5)], new Uint8Array(32)];
  return {
    decode: [
      ...tries('codec', [...NO_OBJECT, {}], (codec) => types.decode(codec, bytes32)),
      ...tries('bytes', NO_BYTES, (bytes) => types.decode(typeTag, bytes)),
    ],
    encode: [
      ...tries('codec', [...NO_OBJECT, {}], (codec) => types.encode(codec, bytes32 as never)),
      ...tries('value', noType, (value) => types.encode(typeTag, value)),
      ...tries(
        'value',
        [...NO_OBJECT, {}, { ...DATA, sender: 'a'.repeat(32) }, { ...DATA, chainId: 4 }, { ...DATA, chainId: -1n }],
        (value) => types.encode(transactionData, value),
      ),
      ...tries('value', [...NO_OBJECT, {}], (value) => types.encode(objectMeta, value)),
    ],
    fromHex: tries('', [...NO_TEXT, 'zz', '0x1'], (text) => types.fromHex(text)),
    toHex: tries('bytes', NO_BYTES, (bytes) => types.toHex(bytes)),
    toHexPrefixed: tries('bytes', NO_BYTES, (bytes) => types.toHexPrefixed(bytes)),
    formatAddress: tries('address', noBytes32, (value) => types.formatAddress(value)),
    formatAddressBech32: tries('address', noBytes32, (value) => types.formatAddressBech32(value)),
    formatAddressShort: tries('address', noBytes32, (value) => types.formatAddressShort(value)),
    parseAddress: tries('', [...NO_TEXT, '', 'zebra', '0x'], (text) => types.parseAddress(text)),
    annotate: [
      ...tries('layout', [...NO_OBJECT, {}, { kind: 'u65' }, { kind: 'vector' }, { kind: 'struct' }], (layout) =>
        types.annotate(layout, Uint8Array.of(1, 1, 1)),
      ),
      ...tries('bytes', NO_BYTES, (bytes) => types.annotate({ kind: 'u8' }, bytes)),
    ],
    canonicalType: tries('type', noType, (type) => types.canonicalType(type)),
    displayType: tries('type', noType, (type) => types.displayType(type)),
    parseStructTag: tries('', [...NO_TEXT, '', 'u64'], (text) => types.parseStructTag(text)),
    parseTypeTag: tries('', [...NO_TEXT, '', 'u65'], (text) => types.parseTypeTag(text)),
    formatAccessPath: tries('path', [...NO_OBJECT, {}, { kind: 'objects' }], (path) => types.formatAccessPath(path)),
    parseAccessPath: tries('', [...NO_TEXT, '', '/x'], (text) => types.parseAccessPath(text)),
    deriveFieldKey: [
      ...tries('name', NO_BYTES, (name) => types.deriveFieldKey(name, { kind: 'u8' })),
      ...tries('type', noType, (type) => types.deriveFieldKey(bytes32, type)),
    ],
    formatFieldKey: tries('key', noBytes32, (key) => types.formatFieldKey(key)),
    parseFieldKey: tries('', [...NO_TEXT, '', 'x'], (text) => types.parseFieldKey(text)),
    resourceFieldKey: tries('type', noStruct, (tag) => types.resourceFieldKey(tag)),
    stringFieldKey: tries('name', NO_TEXT, (name) => types.stringFieldKey(name)),
    accountNamedObjectId: [
      ...tries('owner', noBytes32, (owner) => types.accountNamedObjectId(owner, gas)),
      ...tries('type', noStruct, (tag) => types.accountNamedObjectId(bytes32, tag)),
    ],
    accountObjectId: tries('owner', noBytes32, (owner) => types.accountObjectId(owner)),
    childObjectId: [
      ...tries('parent', noParts, (parent) => types.childObjectId(parent, bytes32)),
      ...tries('key', noBytes32, (key) => types.childObjectId([bytes32], key)),
    ],
    customObjectId: [
      ...tries('value', NO_BYTES, (value) => types.customObjectId(value, gas)),
      ...tries('type', noStruct, (tag) => types.customObjectId(bytes32, tag)),
    ],
    formatObjectId: tries('id', noParts, (id) => types.formatObjectId(id)),
    namedObjectId: tries('type', noStruct, (tag) => types.namedObjectId(tag)),
    parseObjectId: tries('', [...NO_TEXT, 'zebra'], (text) => types.parseObjectId(text)),
    parseFunctionId: tries('', [...NO_TEXT, '', '0x3::a'], (text) => types.parseFunctionId(text)),
    ledgerTransactionHash: tries('data', [...NO_OBJECT, {}, { kind: 'l3' }], (data) =>
      types.ledgerTransactionHash(data),
    ),
    transactionHash: tries('data', [...NO_OBJECT, {}, { ...DATA, chainId: 4 }], (data) => types.transactionHash(data)),
    verifyProof: [
      ...tries('proof', [...NO_OBJECT, {}, { siblings: 5 }, { siblings: [5] }], (proof) =>
        types.verifyProof(proof, bytes32, bytes32),
      ),
      ...tries('root', NO_BYTES, (root) => types.verifyProof(NO_PROOF, root, bytes32)),
      ...tries('key', NO_BYTES, (key) => types.verifyProof(NO_PROOF, bytes32, key)),
      ...tries('value', NO_BYTES.slice(1), (value) => types.verifyProof(NO_PROOF, bytes32, bytes32, value)),
    ],
  };
}
