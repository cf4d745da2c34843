/**
 * Wrong calls of the door `movelet/bitcoin`.
 * @module
 */
import * as bitcoin from '../../src/bitcoin/index.ts';
import { mining, OUTPOINT, OUTPUT, outputs, type Table, TXID, tries, type World } from './attempts.ts';
import {
  NO_ADDRESS,
  NO_BYTES,
  NO_INSCRIPTION_ID,
  NO_LIST,
  NO_OBJECT,
  NO_OPTIONS,
  NO_OUTPOINT,
  NO_TEXT,
} from './values.ts';

export function bitcoinDoorCalls({ chain }: World): Table {
  const [block] = chain.blocks;
  const internal = bitcoin.parseBitcoinAddress(OUTPUT.to);
  const noInternal = [...NO_BYTES, new Uint8Array(5), OUTPUT.to];
  return {
    formatBitcoinAddress: [
      ...tries('address', noInternal, (address) => bitcoin.formatBitcoinAddress(address, 'regtest')),
      ...tries('network', [undefined, null, 'mainnet', 5, {}], (network) =>
        bitcoin.formatBitcoinAddress(internal, network),
      ),
    ],
    nodeAddressOf: tries('address', noInternal, (address) => bitcoin.nodeAddressOf(address)),
    parseBitcoinAddress: tries('', [...NO_TEXT, '', 'zebra', NO_ADDRESS.at(-3)], (text) =>
      bitcoin.parseBitcoinAddress(text),
    ),
    decodeBlock: tries('block', NO_BYTES, (bytes) => bitcoin.decodeBlock(bytes)),
    encodeBlock: tries('block', [...NO_OBJECT, {}, { header: block!.header, transactions: [{}] }], (given) =>
      bitcoin.encodeBlock(given),
    ),
    envelopesOf: tries('transaction', [...NO_OBJECT, {}], (given) => bitcoin.envelopesOf(given)),
    formatBitcoinHash: tries('hash', [...NO_BYTES, new Uint8Array(5)], (hash) => bitcoin.formatBitcoinHash(hash)),
    parseBitcoinHash: tries('', [...NO_TEXT, '', `0x${TXID}`], (text) => bitcoin.parseBitcoinHash(text)),
    headerHash: tries('header', [...NO_OBJECT, {}, { ...block!.header, time: '5' }], (header) =>
      bitcoin.headerHash(header),
    ),
    formatInscriptionId: tries(
      'id',
      [...NO_OBJECT, {}, { txid: TXID, index: 0 }, { txid: new Uint8Array(32), index: -1 }],
      (id) => bitcoin.formatInscriptionId(id),
    ),
    parseInscriptionId: tries('', [...NO_TEXT, '', TXID], (text) => bitcoin.parseInscriptionId(text)),
    'new RegtestChain': [
      ...tries('start', NO_OPTIONS, (start) => new bitcoin.RegtestChain(start)),
      ...tries('start.hash', NO_BYTES.slice(1), (hash) => new bitcoin.RegtestChain({ hash })),
      ...tries('start.height', [null, 0.5, -2, Number.NaN, '5', 5n], (height) => new bitcoin.RegtestChain({ height })),
      ...tries('start.time', [null, 0.5, -2, Number.NaN, '5', 5n], (time) => new bitcoin.RegtestChain({ time })),
      ...tries('start.heigth', [5], (heigth) => new bitcoin.RegtestChain({ heigth } as never)),
    ],
    'RegtestChain#mine': mining((options) => chain.mine(options)),
    'RegtestChain#branch': tries('height', [undefined, null, 0.5, -2, 99, Number.NaN, '0', 0n], (height) =>
      chain.branch(height),
    ),
    reveal: [
      ...tries('outpoint', NO_OUTPOINT, (outpoint) => bitcoin.reveal(outpoint, { body: 'x' }, [OUTPUT])),
      ...tries('contents', NO_OBJECT, (contents) => bitcoin.reveal(OUTPOINT, contents, [OUTPUT])),
      ...tries('contents.contentTyp', [{ contentTyp: 'x' }], (contents) =>
        bitcoin.reveal(OUTPOINT, contents, [OUTPUT]),
      ),
      ...tries('contents[0]', NO_OBJECT, (content) => bitcoin.reveal(OUTPOINT, [content], [OUTPUT])),
      ...tries('contents.body', [null, 5, {}, Date.now, ['x']], (body) => bitcoin.reveal(OUTPOINT, { body }, [OUTPUT])),
      ...tries('contents.contentType', [null, 5, {}, new Uint8Array(5)], (contentType) =>
        bitcoin.reveal(OUTPOINT, { contentType }, [OUTPUT]),
      ),
      ...tries('contents.pointer', [null, 5, '5', -1n, 1n << 64n], (pointer) =>
        bitcoin.reveal(OUTPOINT, { pointer }, [OUTPUT]),
      ),
      ...tries('contents.metadata', NO_BYTES.slice(1), (metadata) => bitcoin.reveal(OUTPOINT, { metadata }, [OUTPUT])),
      ...tries('contents.parents', NO_LIST, (parents) => bitcoin.reveal(OUTPOINT, { parents }, [OUTPUT])),
      ...tries('contents.parents[0]', NO_INSCRIPTION_ID, (parent) =>
        bitcoin.reveal(OUTPOINT, { parents: [parent] }, [OUTPUT]),
      ),
      ...outputs((given) => bitcoin.reveal(OUTPOINT, { body: 'x' }, given)),
    ],
    spend: [
      ...tries('inputs', [undefined, ...NO_LIST], (inputs) => bitcoin.spend(inputs, [OUTPUT])),
      ...tries('inputs[0]', [...NO_OBJECT, {}], (input) => bitcoin.spend([input], [OUTPUT])),
      ...tries('inputs[0].outpoint', NO_OUTPOINT, (outpoint) => bitcoin.spend([{ outpoint }], [OUTPUT])),
      ...tries('inputs[0].witness', NO_LIST, (witness) => bitcoin.spend([{ outpoint: OUTPOINT, witness }], [OUTPUT])),
      ...tries('inputs[0].witness[0]', NO_BYTES, (item) =>
        bitcoin.spend([{ outpoint: OUTPOINT, witness: [item] }], [OUTPUT]),
      ),
      ...tries('inputs[0].scriptSig', NO_BYTES.slice(1), (scriptSig) =>
        bitcoin.spend([{ outpoint: OUTPOINT, scriptSig }], [OUTPUT]),
      ),
      ...outputs((given) => bitcoin.spend([{ outpoint: OUTPOINT }], given)),
    ],
    formatOutPoint: tries(
      'outpoint',
      [...NO_OBJECT, {}, { txid: TXID, vout: 0 }, { txid: new Uint8Array(32), vout: 0.5 }],
      (value) => bitcoin.formatOutPoint(value),
    ),
    parseOutPoint: tries('', [...NO_TEXT, '', TXID], (text) => bitcoin.parseOutPoint(text)),
  };
}
