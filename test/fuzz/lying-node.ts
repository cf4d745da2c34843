/** A Bitcoin node whose answers are right at first, and later altered every other time. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { formatBitcoinHash, RegtestChain } from '../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { randomNumbers } from '../random.ts';
import { textBytes } from './area.ts';
import { mutateText } from './mutate-text.ts';

/** Another block after this many answers. */
const ANSWERS_PER_BLOCK = 20;
const HONEST_ANSWERS = 50;

export interface LyingNode {
  readonly url: string;
  close(): Promise<void>;
}

export async function lyingNode(seed: number): Promise<LyingNode> {
  const random = randomNumbers(seed);
  const chain = new RegtestChain();
  let answers = 0;
  const right = (method: string, [given]: readonly unknown[]): unknown => {
    if (answers % ANSWERS_PER_BLOCK === 0) chain.mine({ to: DEV_ACCOUNTS[1]!.regtestAddress });
    if (method === 'getblockcount') return chain.blocks.length - 1;
    const block = chain.blocks.find(({ hash }, height) => height === given || formatBitcoinHash(hash) === given);
    if (block === undefined) return null;
    return method === 'getblockhash' ? formatBitcoinHash(block.hash) : toHex(block.bytes);
  };
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse(await new Response(request as unknown as ReadableStream).text());
    const answer = textBytes(JSON.stringify({ result: right(method, params ?? []), error: null, id: 1 }));
    const isRight = ++answers < HONEST_ANSWERS || random(2) === 0;
    response.writeHead(200, { 'content-type': 'application/json' }).end(isRight ? answer : mutateText(answer, random));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
