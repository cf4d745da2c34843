/**
 * A suite of tests on a fork of a chain that is 50 ms away: its first run, which reads what it needs, and its second, which
 * finds it on disk. Each test has a fork of its own, reads an account that no other test does, pays it, and calls a view.
 *
 * The chain is a node on another thread, behind a proxy that holds each request for so long; a run is a new process.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type BenchLine, line } from './line.ts';
import { inDirectory, inFreshProcess, PACKAGE } from './measure.ts';

const DISTANCE_MS = 50;
const TESTS = 100;

const ORIGIN = `
const { createServer, connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
(async () => {
  const { Engine } = await import(${PACKAGE});
  const { createRpc, serveHttp } = await import(new URL('server/index.js', ${PACKAGE}).href);
  const engine = await Engine.open({ verifySignatures: false });
  const pay = (to) => ({ function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [to, 1n] });
  for (let made = 0; made < workerData.accounts; ) {
    const sent = [];
    for (let end = Math.min(made + 500, workerData.accounts); made < end; made++)
      sent.push(engine.executeAs(engine.accounts[made % 10].address, pay('0x' + (0x100000 + made).toString(16))));
    await Promise.all(sent);
  }
  const node = await serveHttp(createRpc(engine, { serveNodes: true }), { port: 0 });
  const { port } = new URL(node.url);
  let requests = 0;
  const proxy = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    near.on('data', (data) => {
      if (data.subarray(0, 4).toString() === 'POST') requests++;
      setTimeout(() => far.write(data), ${DISTANCE_MS});
    });
    far.on('data', (data) => near.write(data));
    for (const [one, other] of [[near, far], [far, near]]) one.on('close', () => other.destroy()).on('error', () => {});
  });
  proxy.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: proxy.address().port, order: Number(engine.head.order) }));
  parentPort.on('message', () => {
    parentPort.postMessage(requests);
    requests = 0;
  });
})();
`;

const suite = (url: string, order: number, cache: string, accounts: number): string => `
const begun = performance.now();
const { Engine } = await import(${PACKAGE});
const chain = await Engine.open({ fork: { url: ${JSON.stringify(url)}, at: ${order}n, cache: ${JSON.stringify(cache)} } });
const step = ${Math.floor(accounts / TESTS)};
for (let test = 0; test < ${TESTS}; test++) {
  const fork = chain.fork();
  const to = '0x' + (0x100000 + test * step).toString(16);
  const from = fork.accounts[test % 10];
  const receipt = await fork.execute(from.signTransaction({
    function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [to, 5n],
  }));
  if (receipt.status.kind !== 'executed' || fork.balance(to) !== 6n) throw new Error('test ' + test + ' failed');
  fork.view({ function: '0x3::gas_coin::balance', arguments: [to] });
  await fork.close();
}
await chain.close();
console.log(performance.now() - begun);
process.exit(0);
`;

export function run(short: boolean): Promise<readonly BenchLine[]> {
  return inDirectory(async (cache) => {
    const accounts = short ? 2_000 : 100_000;
    const origin = new Worker(ORIGIN, { eval: true, workerData: { accounts } });
    const [{ port, order }] = (await once(origin, 'message')) as [{ port: number; order: number }];
    const requested = async (): Promise<number> => {
      origin.postMessage('requests');
      return ((await once(origin, 'message')) as [number])[0];
    };
    const code = suite(`http://127.0.0.1:${port}`, order, cache, accounts);
    const named = `${TESTS} tests on a fork of ${accounts} accounts at ${DISTANCE_MS} ms`;
    try {
      return [
        line(`${named}: first run`, inFreshProcess(code), 'ms', undefined, '12,000 ms'),
        line('requests of it', await requested(), ''),
        line(`${named}: second run`, inFreshProcess(code), 'ms', undefined, '2,000 ms'),
        line('requests of it', await requested(), '', undefined, '0'),
      ];
    } finally {
      await origin.terminate();
    }
  });
}
