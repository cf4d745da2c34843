// The worker of a page: an engine that answers JSON-RPC on every port that it is given. A Worker belongs to one tab, a
// SharedWorker to all tabs of the origin.
import { Engine } from 'movelet';
import { createRpc, servePort } from 'movelet/rpc';

const opening = Engine.open().then((engine) => createRpc(engine, { dev: true }));

// Requests wait in the port until it is served.
addEventListener('connect', async ({ ports: [port] }) => servePort(await opening, port));
addEventListener('message', async ({ data: port }) => servePort(await opening, port));
