// The process that is killed while what a scan of older blocks found is added to a directory.
//
//   rescan-child DIRECTORY PIECES
//
// Waits for a line on stdin, then opens the directory with one more owner, and scans. It prints the order of the
// head as it grows, and kills itself once the scan has added that many pieces. If it comes to the end it says so, and
// waits to be killed: `done OUTPUTS`.
import { Engine } from '../../src/engine/engine.ts';
import { alice, bob, rescannedChain } from './rescanned-chain.ts';
import { tell, untilAsked } from './told.ts';

const [directory, pieces] = process.argv.slice(2) as [string, string];
const { blocks } = rescannedChain();

untilAsked();
const engine = await Engine.open({ store: directory, ingest: { owners: [alice, bob] } });
tell('open');
const begun = engine.head.order;
let told = begun;
let isScanning = true;
/** In every turn of the event loop, which each batch of the store waits for. */
function watch(): void {
  const { order } = engine.head;
  if (order !== told) {
    told = order;
    tell(order);
    if (order - begun >= BigInt(pieces)) process.kill(process.pid, 'SIGKILL');
  }
  if (isScanning) setImmediate(watch);
}
watch();
const { outputs } = await engine.bitcoin.rescan({ blocks: (height) => blocks[height]!.bytes });
isScanning = false;
tell(engine.head.order);
tell('done', outputs);
setInterval(() => {}, 1_000);
