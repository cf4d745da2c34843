/**
 * The host of a page, of its workers, and of other hosts with the web's interfaces alone (host.ts).
 * @module
 */
import type { Host } from './host.ts';

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
Object.assign(port1, { onmessage: () => waiting.shift()?.() });

export const HOST: Host = {
  builtin: () => undefined,
  Buffer: undefined,
  afterTurn: (task) => {
    waiting.push(task);
    port2.postMessage(undefined);
  },
  processorMs: () => performance.now(),
  allowsWorkers: () => true,
};
