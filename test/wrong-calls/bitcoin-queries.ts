/**
 * Wrong calls of what an engine knows of Bitcoin.
 * @module
 */
import type { Engine } from '../../src/index.ts';
import { bitcoinFilters, members, pages, type Table, tries } from './attempts.ts';
import { NO_ADDRESS, NO_INSCRIPTION_ID, NO_OBJECT, NO_OUTPOINT } from './values.ts';

const NO_BLOCK = new Uint8Array(0);

export function bitcoinCalls(engine: Engine): Table {
  const { bitcoin: chain } = engine;
  return {
    'BitcoinQueries#utxos': [
      ...bitcoinFilters((filter) => chain.utxos(filter), NO_OUTPOINT),
      ...pages((page) => chain.utxos({ kind: 'all' }, page)),
    ],
    'BitcoinQueries#inscriptions': [
      ...bitcoinFilters((filter) => chain.inscriptions(filter), NO_INSCRIPTION_ID),
      ...pages((page) => chain.inscriptions({ kind: 'all' }, page)),
    ],
    'BitcoinQueries#utxo': tries('outpoint', NO_OUTPOINT, (outpoint) => chain.utxo(outpoint)),
    'BitcoinQueries#inscription': tries('id', NO_INSCRIPTION_ID, (id) => chain.inscription(id)),
    'BitcoinQueries#block': tries(
      'reference',
      [undefined, null, -1, 0.5, Number.NaN, -1n, 2n ** 64n, 'x', {}, Date.now],
      (reference) => chain.block(reference),
    ),
    'BitcoinQueries#header': tries(
      'reference',
      [undefined, null, -1, 0.5, Number.NaN, -1n, 2n ** 64n, 'x', {}],
      (reference) => chain.header(reference),
    ),
    'BitcoinQueries#addressOf': tries('owner', NO_ADDRESS, (owner) => chain.addressOf(owner)),
    'object#watch': [
      ...tries('owners', [undefined, null, 5, 'text', {}], (owners) => chain.watch(owners)),
      ...tries('owners[0]', NO_ADDRESS, (owner) => chain.watch([owner])),
    ],
    'object#rescan': [
      ...tries('options', NO_OBJECT, (options) => chain.rescan(options)),
      ...tries('blocks', [undefined, null, 5, []], (blocks) => chain.rescan({ blocks })),
      ...members({ from: [null, -1, 0.5, '5', 5n], onProgress: [null, 5] }, (given) =>
        chain.rescan({ blocks: () => NO_BLOCK, ...given }),
      ),
    ],
  };
}
