/** Loaded by the node under attack (`node --import`): collects the garbage when it is asked, and tells what is left. */
import { setImmediate as afterRound } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('message', async () => {
  // As heldMemory (memory.ts): what was let go a moment ago is garbage only after the event loop has gone round, and byte
  // arrays are freed after the collection that found them.
  for (let round = 0; round < 3; round++) {
    await afterRound();
    collect();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  process.send({ objects: heapUsed, arrays: arrayBuffers, resident: rss });
});
// The node ends as it would without this.
process.channel.unref();
