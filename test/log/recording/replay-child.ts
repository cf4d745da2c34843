// A node of its own that plays a recorded run, with the Node that runs it, and writes where its chain ends to stdout.
//
//   replay-child FILE [DIRECTORY]
import { readFileSync, writeSync } from 'node:fs';
import { replay } from '../../../src/engine/replay.ts';
import { headText } from './head-text.ts';

const [file, store] = process.argv.slice(2) as [string, string | undefined];
const engine = await replay(readFileSync(file), { store, durability: 'os' });
writeSync(1, headText(engine));
await engine.close();
