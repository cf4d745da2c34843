/**
 * `rooch server start`: a node in this process, as the reference's program runs one for tests. Time is the machine's, a
 * sender without gas is given some, and the controls of a test node answer.
 * @module
 */
import { closeEach } from '../../base/closing.ts';
import { CHAIN_ID_LOCAL } from '../../base/config.ts';
import { readHead } from '../../chain/ledger/head.ts';
import { Engine } from '../../engine/engine.ts';
import { type FrameworkGenesisOptions, frameworkGenesis } from '../../execution/genesis/framework-genesis.ts';
import { commitGenesis } from '../../pipeline/local-chain.ts';
import { BitcoinNode } from '../../server/follower/bitcoin-node.ts';
import { Follower } from '../../server/follower/follower.ts';
import { createRpc } from '../../server/rpc/server.ts';
import { serveHttp } from '../../server/transport/http.ts';
import { MemoryStore, openDirectory } from '../../store/index.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { type Arguments, type Options, readNumber, UsageError, understood } from '../arguments.ts';
import type { RoochCommand } from './table.ts';

const PORT_DEFAULT = 6767;
const PORT_MAX = 65_535;
const INTERVAL_SECONDS_MAX = 3_600;

/** As the reference's local network begins: at time 0, and no account has anything. */
const GENESIS: FrameworkGenesisOptions = {
  chainId: CHAIN_ID_LOCAL,
  timestamp: 0n,
  bitcoinNetwork: 'regtest',
  reorganisationDepth: 0n,
  accounts: [],
};

/** The data directory that stands for none. */
const TEMPORARY = 'TMP';

/** Rate limits of the reference's node, which a node in a test does not have. */
const ACCEPTED: Options = {
  'traffic-per-second': { value: 'N', help: 'accepted: requests are not limited by time' },
  'traffic-burst-size': { value: 'N', help: 'accepted: as above' },
};

/** The height of the first block to ingest: a network's block at height 0 is known to everyone. */
const FIRST_HEIGHT = 1;

/** Milliseconds between two polls of a Bitcoin node, if the flag says 0. */
const POLL_MS_MIN = 50;

/** @throws {UsageError} for an invalid address */
function bitcoinNode(args: Arguments): BitcoinNode | undefined {
  const url = args.string('btc-rpc-url');
  if (url === undefined) return undefined;
  const [user, password = ''] = [args.string('btc-rpc-username'), args.string('btc-rpc-password')];
  const credentials = user === undefined ? undefined : () => `${user}:${password}`;
  return understood('--btc-rpc-url', () => new BitcoinNode({ url, credentials }));
}

const pollOf = (args: Arguments): number =>
  Math.max(POLL_MS_MIN, 1_000 * readNumber(args, 'btc-sync-block-interval', 1, INTERVAL_SECONDS_MAX));

export const SERVER_ROWS: readonly RoochCommand[] = [
  {
    name: 'server start',
    summary: 'a node, until it is ended',
    options: {
      network: { value: 'NAME', short: 'n', help: 'local' },
      'data-dir': {
        value: 'DIR',
        short: 'd',
        help: `where the chain is kept; in memory with ${TEMPORARY} (default: ${TEMPORARY})`,
      },
      port: { value: 'N', help: `TCP port; 0 picks a free one (default: ${PORT_DEFAULT})` },
      'btc-rpc-url': { value: 'URL', help: 'follow the Bitcoin node at this address' },
      'btc-rpc-username': { value: 'NAME', help: 'the user name for it' },
      'btc-rpc-password': { value: 'TEXT', help: 'the password for it' },
      'btc-sync-block-interval': { value: 'SECONDS', help: 'how often it is asked for a new block (default: 1)' },
      ...ACCEPTED,
    },
    run: async (session, args, host) => {
      const network = args.string('network') ?? 'local';
      if (network !== 'local') throw new UsageError(`--network: expected local, got ${network}`);
      const port = readNumber(args, 'port', PORT_DEFAULT, PORT_MAX);
      const directory = args.string('data-dir') ?? TEMPORARY;
      const store = directory === TEMPORARY ? new MemoryStore() : await openDirectory(session.path(directory));
      if (readHead(store) === undefined) await commitGenesis(store, new NodeCache(), frameworkGenesis(GENESIS));
      const engine = await Engine.open({ store, clock: 'system', gasGift: true });
      const node = bitcoinNode(args);
      const rpc = createRpc(engine, {
        wire: 'rooch',
        dev: true,
        broadcast: node && ((transaction) => node.broadcast(transaction)),
      });
      const follower = node && new Follower(engine, node, { from: FIRST_HEIGHT, pollMilliseconds: pollOf(args) });
      try {
        const server = await serveHttp(rpc, { port, metrics: true });
        const { port: bound } = new URL(server.url);
        // The words that suites wait for. It listens on this machine alone.
        host.write(`JSON-RPC HTTP Server start listening 0.0.0.0:${bound}\n`);
        follower?.start();
        await host.untilEnd();
        await server.close();
      } finally {
        await closeEach(
          () => follower?.stop(),
          () => rpc.close(),
          () => engine.close(),
        );
      }
      return {};
    },
  },
];
