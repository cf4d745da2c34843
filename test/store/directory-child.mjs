// Another process, or another thread, that wants a directory.
//
//   node directory-child.mjs DIST DIRECTORY try            prints the code with which it is refused, or 'opened'
//   node directory-child.mjs DIST DIRECTORY hold           opens, prints 'opened', writes a row for each line on stdin
//   node directory-child.mjs DIST DIRECTORY count ROUNDS   adds one to a number in the directory, again and again
//
// As a worker: the same words in workerData, and messages for lines.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

const [dist, directory, mode, rounds = '0'] = isMainThread ? process.argv.slice(2) : workerData;
const tell = (line) => (isMainThread ? writeSync(1, `${line}\n`) : parentPort.postMessage(line));
const { openDirectory } = await import(pathToFileURL(join(dist, 'store', 'index.js')).href);
const row = (value) => ({ type: 'put', key: Uint8Array.of(1), value: Uint8Array.from(Buffer.from(String(value))) });

if (mode === 'try') {
  try {
    const store = await openDirectory(directory);
    tell('opened');
    await store.close();
  } catch (error) {
    tell(error.code);
  }
} else if (mode === 'hold') {
  const store = await openDirectory(directory);
  tell('opened');
  if (isMainThread) {
    for await (const line of createInterface({ input: process.stdin })) {
      tell(
        await store.batch([row(line)]).then(
          () => 'written',
          (error) => error.code,
        ),
      );
    }
    await store.close();
  } else {
    setInterval(() => {}, 1000);
  }
} else {
  for (let done = 0; done < Number(rounds); ) {
    try {
      const store = await openDirectory(directory, { durability: 'os' });
      const before = store.get(Uint8Array.of(1));
      await store.batch([row(Number(Buffer.from(before ?? '0').toString()) + 1)]);
      done++;
      await store.close();
    } catch (error) {
      if (error.code !== 'store-locked') throw error;
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 4));
    }
  }
  tell('counted');
}
