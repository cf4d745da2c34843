import { describe, expect, it } from 'vitest';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../../../src/bitcoin/network.ts';
import { blockRules } from '../../../src/pipeline/ingest/options.ts';

describe('what is checked of blocks', () => {
  it('is their parent and, except on regtest, their work, unless an option says otherwise', () => {
    for (const network of Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[]) {
      const rules = { network, checkParent: true, checkWork: network !== 'regtest', headersOnly: false };
      expect(blockRules({}, network)).toEqual(rules);
    }
  });

  it('is what the options say, on every network', () => {
    for (const network of Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[]) {
      for (const told of [true, false]) {
        const options = { checkParent: told, checkWork: told, headersOnly: told };
        expect(blockRules(options, network)).toEqual({ network, ...options });
      }
    }
  });
});
