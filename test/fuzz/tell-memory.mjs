/** Loaded by the node under attack (`node --import`): collects the garbage when it is asked, and tells what is left. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('message', () => {
  collect();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  process.send({ objects: heapUsed, arrays: arrayBuffers, resident: rss });
});
// The node ends as it would without this.
process.channel.unref();
