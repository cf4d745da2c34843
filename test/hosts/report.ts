/** A row of the matrix, run. */
import { readFileSync } from 'node:fs';
import type { Reported } from './page.ts';
import { Place, type Workshop } from './place.ts';
import type { Row } from './rows.ts';

async function versionOf(row: Row, place: Place): Promise<string> {
  if (row.version !== undefined) return (await row.version(place)).trim().replace(/^v/, '');
  const [tool] = Object.keys(row.tools);
  return JSON.parse(readFileSync(place.tool(`${tool}/package.json`), 'utf8')).version;
}

/** Runs a row in a folder, which is made. */
export async function report(row: Row, folder: string, workshop: Workshop): Promise<Reported> {
  const place = new Place(folder, workshop);
  const version = await versionOf(row, place);
  let failure: string | undefined;
  try {
    await row.run(place);
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    failure = `${message}\n${stdout}\n${stderr}`;
  }
  return { row, version, results: place.result(), failure };
}
