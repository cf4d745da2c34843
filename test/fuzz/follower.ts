/** What a Bitcoin node answers: its JSON, and the block in it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { equalBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { formatBitcoinHash, RegtestChain } from '../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { BitcoinNode } from '../../src/server/follower/bitcoin-node.ts';
import { type Area, textBytes } from './area.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not come.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/;

export async function follower(): Promise<Area> {
  let answer: Uint8Array = new Uint8Array(0);
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node = new BitcoinNode({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const block = new RegtestChain().mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  const hash = formatBitcoinHash(block.hash);
  const seeds = [
    '{"result":7,"error":null,"id":1}',
    `{"result":"${hash}","error":null}`,
    `{"result":"${toHex(block.bytes)}","error":null}`,
    '{"result":null,"error":{"code":-8,"message":"Block height out of range"}}',
    '['.repeat(9_000),
  ];
  /** Returns nothing if it is refused, which must be in words that can be printed. */
  const asked = async <T>(ask: Promise<T>): Promise<T | undefined> =>
    ask.catch((error: unknown) => {
      if (!(error instanceof EngineError) || error.message.length > 1_000 || CONTROL.test(error.message)) throw error;
      return undefined;
    });
  return {
    seeds: seeds.map(textBytes),
    msMax: 4_000,
    run: async (input) => {
      answer = input;
      const height = await asked(node.blockCount());
      if (height !== undefined && !(height >= 0 && height <= 0xffff_ffff)) throw new Error(`a height of ${height}`);
      const found = await asked(node.blockHash(1));
      if (found !== undefined && !/^[0-9a-f]{64}$/.test(found)) throw new Error(`a hash of ${found}`);
      const bytes = await asked(node.block(hash));
      if (bytes !== undefined && !equalBytes(bytes.subarray(0, 80), block.bytes.subarray(0, 80)))
        throw new Error('another block');
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
