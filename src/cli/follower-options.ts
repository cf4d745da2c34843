/**
 * Options for the Bitcoin node to follow.
 * @module
 */
import { BitcoinNode } from '../server/follower/bitcoin-node.ts';
import { cookieFile } from '../server/follower/cookie.ts';
import { type Arguments, type Option, UsageError, understood } from './arguments.ts';

export const FOLLOWER_OPTIONS: Readonly<Record<string, Option>> = {
  'bitcoin-rpc': { type: 'string' },
  'bitcoin-from': { type: 'string' },
  'bitcoin-rpc-cookie': { type: 'string', completes: 'file' },
};

export const FOLLOWER_HELP = `  --bitcoin-rpc URL       follow the Bitcoin Core node at http://[user:password@]host:port
  --bitcoin-from HEIGHT   where to begin on a chain without blocks (default: 0)
  --bitcoin-rpc-cookie FILE
                          the node's .cookie file, instead of user and password; it is read anew before each call
`;

/**
 * The node to follow, if one is named.
 * @throws {UsageError} for options that need one; {EngineError} `invalid-argument` for an invalid address.
 */
export function bitcoinNode(args: Arguments): BitcoinNode | undefined {
  const url = args.string('bitcoin-rpc');
  const cookie = args.string('bitcoin-rpc-cookie');
  if (url === undefined) {
    for (const name of ['bitcoin-from', 'bitcoin-rpc-cookie']) {
      if (args.string(name) !== undefined) throw new UsageError(`--${name} needs --bitcoin-rpc URL`);
    }
    return undefined;
  }
  const credentials = cookie === undefined ? undefined : cookieFile(cookie);
  return understood('--bitcoin-rpc', () => new BitcoinNode({ url, credentials }));
}
