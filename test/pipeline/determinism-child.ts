// A node of its own for a recorded story: executes the signed transactions of a JSON file in memory, with the Node that
// runs it, and writes the ending of each to stdout.
//
//   determinism-child FILE
import { readFileSync, writeSync } from 'node:fs';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/index.ts';
import { endingOf, STORY_OPTIONS } from './story-engine.ts';

const [file] = process.argv.slice(2) as [string];
const recorded = JSON.parse(readFileSync(file, 'utf8')) as string[];
const engine = await Engine.open(STORY_OPTIONS);
const endings: string[] = [];
for (const signed of recorded) endings.push(await endingOf(engine, fromHex(signed)));
await engine.close();
writeSync(1, JSON.stringify(endings));
