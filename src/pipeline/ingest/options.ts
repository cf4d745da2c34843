import { eachOf } from '../../base/argument.ts';
import { type AddressInput, bitcoinAddressIn, toAddress } from '../../bitcoin/address.ts';
import type { BitcoinNetwork } from '../../bitcoin/network.ts';
import type { BlockRules } from '../../execution/bitcoin-move/block-check.ts';
import { type WatchedOwner, WatchedOwners } from '../../execution/bitcoin-move/watch.ts';

/** What to check in Bitcoin blocks, and how much of them to keep. */
export interface IngestOptions {
  /**
   * Whether a block must follow one the chain has. Turn this off only in tests that feed single blocks. Default: true.
   */
  readonly checkParent?: boolean | undefined;
  /**
   * Whether a header must have the proof of work it claims, a coinbase commit to the witnesses if there are any, and a
   * block be no heavier than Bitcoin allows. Default: true, except on regtest, where work means nothing.
   */
  readonly checkWork?: boolean | undefined;
  /**
   * Whether to keep only the headers of blocks, as the newest release of the reference network does: no outputs or
   * inscriptions are created, and a block is one ledger transaction. A chain with pending blocks keeps its mode.
   * Default: false.
   */
  readonly headersOnly?: boolean | undefined;
  /**
   * The accounts whose outputs and inscriptions are kept, as a wallet needs; the rest of a block is checked but not
   * kept. Bitcoin addresses, or any other form of the same accounts. Default: all accounts.
   */
  readonly owners?: readonly AddressInput[] | undefined;
}

/**
 * The accounts that `owners` names.
 * @throws {EngineError} `invalid-argument` naming the first one that is not an address
 */
export function watchedOwners(owners: readonly AddressInput[], name: string): readonly WatchedOwner[] {
  return eachOf(owners, name, (owner, ownName) => {
    const address = toAddress(owner, ownName);
    return { address, bitcoinAddress: typeof owner === 'string' ? bitcoinAddressIn(owner) : undefined };
  });
}

/** The rules that follow from an engine's options, for a chain that follows `network`. */
export function blockRules(options: IngestOptions, network: BitcoinNetwork): BlockRules {
  return {
    network,
    checkParent: options.checkParent ?? true,
    checkWork: options.checkWork ?? network !== 'regtest',
    headersOnly: options.headersOnly ?? false,
    owners: options.owners && new WatchedOwners(watchedOwners(options.owners, 'ingest.owners')),
  };
}
