/**
 * What every host runs: each use of the engine once. What came of them is written to `result.json` of the working
 * directory, by the name of the use: `works`, or what was said instead. Plain JavaScript that compilers of TypeScript
 * take too.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { DEV_ACCOUNTS, Engine, EngineError } from 'movelet';
import { BitcoinNode, Follower, formatBitcoinHash, RegtestChain } from 'movelet/bitcoin';
import { openDirectoryLog, openPostgresLog } from 'movelet/log';
import { decodeProof, encodeProof, EngineError as ProofError, verifyStateProof } from 'movelet/proof';
import { createRpc, serveHttp } from 'movelet/rpc';
import { expectChain, PreparedChain } from 'movelet/testing';

const COIN = '0x3::gas_coin::RGas';
const [ALICE, BOB] = DEV_ACCOUNTS;

function expectEqual(got, expected) {
  if (got !== expected) throw new Error(`expected ${expected}, got ${got}`);
}

const transferTo = ({ address }) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: [COIN],
  arguments: [address, 7n],
});

/** A balance, a view and a signed transaction. */
async function transact(engine) {
  const [alice, bob] = engine.accounts;
  const before = engine.balances.get(bob.address, COIN).balance;
  const signed = alice.signTransaction(transferTo(bob));
  const { status } = await engine.execute(signed);
  expectEqual(status.kind, 'executed');
  expectEqual(engine.balances.get(bob.address, COIN).balance, before + 7n);
}

async function inMemory(use) {
  // With time for a busy machine.
  const engine = await Engine.open({ viewMsMax: 60_000 });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** A chain of two blocks behind the calls of Bitcoin Core that following needs. */
async function serveBlocks(use) {
  const chain = new RegtestChain();
  for (let block = 0; block < 2; block++) chain.mine({ to: ALICE.regtestAddress });
  const answers = {
    getblockcount: () => chain.height,
    getblockhash: (height) => formatBitcoinHash(chain.blocks[height].hash),
    getblock: (hash) =>
      Buffer.from(chain.blocks.find((block) => formatBitcoinHash(block.hash) === hash).bytes).toString('hex'),
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { method, params } = JSON.parse(body);
    response.end(JSON.stringify({ result: answers[method](params[0]) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}`, chain);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const USES = {
  memory: () => inMemory((engine) => expectEqual(engine.balances.get(ALICE.address, COIN).balance > 0n, true)),
  view: () =>
    inMemory((engine) => {
      const [balance] = engine.view({ function: '0x3::gas_coin::balance', arguments: [BOB.address] });
      expectEqual(balance > 0n, true);
    }),
  transaction: () => inMemory(transact),
  'instanceof EngineError': () =>
    inMemory((engine) => {
      let caught;
      try {
        engine.view({ function: 'nothing' });
      } catch (error) {
        caught = error;
      }
      expectEqual(caught instanceof EngineError, true);
      expectEqual(caught instanceof ProofError, true);
      expectEqual(new ProofError('closed', 'closed') instanceof EngineError, true);
      expectEqual(caught.code, 'invalid-argument');
    }),
  'stack of a mistake': () =>
    inMemory(async (engine) => {
      const mistakes = [
        async () => engine.view({ function: 'nothing' }),
        () => engine.executeAs('nobody', transferTo(BOB)),
        () => engine.executeAs(ALICE.address, { ...transferTo(BOB), arguments: [] }),
        () => engine.execute(new Uint8Array(3)),
      ];
      for (const mistake of mistakes) {
        const { message, stack } = await mistake().catch((error) => error);
        const printed = stack.slice(stack.indexOf(message) + message.length);
        const first = printed.split('\n').find((line) => /:\d+:\d+\)?$/.test(line));
        // In a bundle, everything is in the program's file.
        if (/\/movelet\/dist\//.test(first)) throw new Error(`expected the caller's line, got ${first}`);
      }
    }),
  HTTP: () =>
    inMemory(async (engine) => {
      const server = await serveHttp(createRpc(engine), { port: 0 });
      try {
        const response = await fetch(server.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"jsonrpc":"2.0","id":1,"method":"chain_getChainID","params":[]}',
        });
        expectEqual((await response.json()).result, String(engine.chainId));
      } finally {
        await server.close();
      }
    }),
  Bitcoin: () =>
    inMemory(async (engine) => {
      await engine.dev.mine({ to: ALICE.regtestAddress });
      const { data } = await engine.bitcoin.utxos({ kind: 'owner', owner: ALICE.regtestAddress });
      expectEqual(data.length, 1);
    }),
  'movelet/testing': async () => {
    const chain = new PreparedChain({ viewMsMax: 60_000 });
    try {
      for (const { engine, accounts } of [await chain.fork(), await chain.fork()]) {
        const [alice, bob] = accounts;
        expectEqual(engine.status().head.order, 0n);
        const transfer = () => engine.executeAs(alice.address, transferTo(bob));
        expectChain(await transfer()).toBeExecuted();
        await expectChain(transfer).toChangeBalance({ engine, owner: bob.address, coinType: COIN }, 7n);
      }
    } finally {
      await chain.close();
    }
  },
  'movelet/proof': () =>
    inMemory(async (engine) => {
      const proof = engine.proofs.object('0x2::timestamp::Timestamp');
      const read = decodeProof(encodeProof(proof));
      expectEqual(verifyStateProof(read, engine.head.stateRoot, proof.id)?.kind, 'present');
      expectEqual(verifyStateProof(read, new Uint8Array(32)), undefined);
    }),
  'movelet/log': async () => {
    const writer = await Engine.open({ commitLog: await openDirectoryLog('./log') });
    const reader = await Engine.open({ commitLog: await openDirectoryLog('./log'), role: 'reader' });
    await transact(writer);
    await reader.waitFor(writer.head.order);
    expectEqual(String(reader.head.stateRoot), String(writer.head.stateRoot));
    await reader.close();
    await writer.close();
  },
  // Without a server: the package pg is found, and says that nothing listens on that port.
  PostgreSQL: async () => {
    const error = await openPostgresLog('postgres://127.0.0.1:1/none').catch((caught) => caught);
    expectEqual(error.code, 'log-failed');
  },
  'movelet/bitcoin': () =>
    inMemory((engine) =>
      serveBlocks(async (url, { height }) => {
        const follower = new Follower(engine, new BitcoinNode({ url }), { from: 0 });
        follower.start();
        while (follower.status.lag !== 0) {
          if (follower.status.lastError !== undefined) throw new Error(follower.status.lastError);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await follower.stop();
        expectEqual(follower.status.height, height);
      }),
    ),
  // Last: where LevelDB is missing, all else has run.
  directory: async () => {
    for (const expected of [0n, 1n]) {
      const engine = await Engine.open({ store: './chain' });
      expectEqual(engine.status().head.order, expected);
      await transact(engine);
      await engine.close();
    }
  },
};

export async function run() {
  const results = {};
  for (const [name, use] of Object.entries(USES)) {
    results[name] = await use().then(
      () => 'works',
      (error) => `${error.code ?? error.name}: ${error.message}`,
    );
  }
  writeFileSync('result.json', JSON.stringify(results));
  return results;
}
