/**
 * One engine served over HTTP and WebSocket, queried over both.
 */
import assert from 'node:assert/strict';
import { Engine } from 'movelet';
import { createRpc, serveHttp } from 'movelet/rpc';
import { WebSocket } from 'ws';

const engine = await Engine.open();
const server = await serveHttp(createRpc(engine), { port: 0 });
const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_getChainID', params: [] });

const response = await fetch(server.url, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: request,
});
const overHttp = await response.text();

const overWebSocket = await new Promise<string>((resolve, reject) => {
  const socket = new WebSocket(server.url.replace('http', 'ws'));
  socket.on('error', reject);
  socket.on('open', () => socket.send(request));
  socket.on('message', (data) => {
    resolve(String(data));
    socket.close();
  });
});

console.log(overHttp);
assert.equal(overHttp, overWebSocket);
await server.close();
await engine.close();
