// Writes the default local chain at genesis beside the compiled code, where the engine finds it (see
// src/genesis/local-snapshot.ts). Part of the build; it must run after the compiler.
import { rmSync, writeFileSync } from 'node:fs';
import { LOCAL_SNAPSHOT_URL } from '../dist/genesis/local-snapshot.js';
import { Engine } from '../dist/index.js';

rmSync(LOCAL_SNAPSHOT_URL, { force: true });
const engine = await Engine.open();
const chunks = [];
for await (const chunk of engine.dump()) chunks.push(chunk);
await engine.close();
writeFileSync(LOCAL_SNAPSHOT_URL, Buffer.concat(chunks));
