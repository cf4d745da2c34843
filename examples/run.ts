/**
 * Runs every example of this folder, one after the other.
 */
import { cpSync, readdirSync } from 'node:fs';

const folder = new URL('.', import.meta.url);
// Examples read it beside their sources.
cpSync('examples/counter/counter.mv', new URL('counter/counter.mv', folder));
for (const name of readdirSync(folder).sort()) {
  if (!name.endsWith('.js') || name === 'run.js') continue;
  console.log(`\n== ${name}`);
  await import(new URL(name, folder).href);
}
