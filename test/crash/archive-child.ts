// The process that is killed while it archives or restores.
//
//   archive-child DIRECTORY archive   again and again: commits three transfers to the log, archives them, makes a dump, prunes the
//                                     log; tells what was archived by then
//   archive-child DIRECTORY restore   restores the archive into DIRECTORY/restored
import { join } from 'node:path';
import { Engine } from '../../src/engine/engine.ts';
import { Archive } from '../../src/log/archive/archive.ts';
import { ArchiveWriter } from '../../src/log/archive/archive-writer.ts';
import { restoreArchive } from '../../src/log/archive/restore.ts';
import { openDirectoryLog } from '../../src/log/index.ts';
import { payment } from '../payment.ts';
import { tell, untilAsked } from './told.ts';

const [directory, mode] = process.argv.slice(2) as [string, string];
const path = join(directory, 'archive');

untilAsked();
if (mode === 'restore') {
  tell('open');
  const { order } = await restoreArchive(await Archive.open(path), join(directory, 'restored'));
  tell(order);
  // It ends by a kill, too.
  setInterval(() => {}, 1_000);
} else {
  const log = await openDirectoryLog(join(directory, 'log'), { segmentBytes: 1 });
  const engine = await Engine.open({ store: join(directory, 'data'), commitLog: log });
  tell('open');
  for (;;) {
    for (let amount = 1n; amount <= 3n; amount++) {
      await engine.execute(engine.accounts[0]!.signTransaction(payment(engine.accounts[1]!.address, amount)));
    }
    const writer = await ArchiveWriter.open(path);
    await writer.addRecords(log, { segmentBytes: 10_000 });
    if (engine.head.order % 4n === 0n) await writer.addDump(engine.dump());
    await writer.pruneLog(log);
    writer.close();
    tell(engine.head.order);
  }
}
