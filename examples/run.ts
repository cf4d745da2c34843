/**
 * Runs every example of this folder, one after the other.
 */
import { readdirSync } from 'node:fs';

const folder = new URL('.', import.meta.url);
for (const name of readdirSync(folder).sort()) {
  if (!name.endsWith('.js') || name === 'run.js') continue;
  console.log(`\n== ${name}`);
  await import(new URL(name, folder).href);
}
