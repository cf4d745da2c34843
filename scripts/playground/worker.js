// The playground's engine: a chain in a worker, JSON-RPC on each port that is connected, the compiler, and the run so far.
import { Engine, record, replay } from 'movelet';
import { compileSources } from 'movelet/compile';
import { createRpc, servePort } from 'movelet/rpc';

let chain;
let setFirst;
/** Ports may be connected before there is a chain. */
const first = new Promise((resolve) => {
  setFirst = resolve;
});

async function open(run) {
  let recording;
  // A run that is replayed is recorded from its beginning again, so that it can be passed on.
  const onStart = (engine) => {
    recording = record(engine);
  };
  const engine = run === undefined ? await Engine.open() : await replay(run, { onStart });
  recording ??= record(engine);
  return { engine, recording, rpc: createRpc(engine, { dev: true }), servers: [] };
}

const compile = ({ source, addresses }) => compileSources({ 'main.move': source }, { addresses });

const USES = {
  async open(run) {
    const opened = await open(run);
    const before = chain;
    chain = opened;
    setFirst();
    if (before === undefined) return;
    // Pages keep their ports: they are answered by the new chain from now on.
    for (const { port, server } of before.servers) {
      await server.close();
      await USES.connect(port);
    }
    await before.engine.close();
  },
  async connect(port) {
    await first;
    chain.servers.push({ port, server: servePort(chain.rpc, port) });
  },
  compile: (given) => ({ warnings: compile(given).warnings }),
  async publish({ account, ...given }) {
    const built = compile(given);
    const { order, status } = await chain.engine.publish(account, built);
    return { order: String(order), status: status.kind, modules: built.modules.map(({ name }) => name) };
  },
  run: () => chain.recording.bytes(),
};

addEventListener('message', async ({ data: { id, use, given } }) => {
  try {
    postMessage({ id, value: await USES[use](given) });
  } catch (error) {
    const { message, code, details } = error;
    postMessage({ id, failure: { message, code, diagnostics: details?.diagnostics } });
  }
});
