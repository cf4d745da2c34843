// What a page needs to send requests to the engine in its worker.

/** A port to a worker that belongs to this tab. */
export function ownChain() {
  const worker = new Worker(new URL('./engine.js', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return port1;
}

/** A port to the one worker that all tabs share. */
export function sharedChain() {
  return new SharedWorker(new URL('./engine.js', import.meta.url), { type: 'module', name: 'chain' }).port;
}

/** Sends requests over a port: `await ask('chain_getBalance', [address, coin])`. */
export function askOver(port) {
  const waiting = new Map();
  let asked = 0;
  port.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(error.message));
  };
  return (method, params = []) =>
    new Promise((resolve, reject) => {
      waiting.set(++asked, { resolve, reject });
      port.postMessage(JSON.stringify({ jsonrpc: '2.0', id: asked, method, params }));
    });
}
