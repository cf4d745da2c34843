/**
 * The program of worker threads: worker.ts, as the build bundles it.
 * @module
 */

/** Its `file:` URL: beside this code in a build, and in the build's folder when running from the sources. */
export function workerProgram(): string | undefined {
  const { url } = import.meta;
  if (url?.startsWith('file:') !== true) return undefined;
  // A separate function, because bundlers would look for the file otherwise.
  const beside = (file: string): string => new URL(file, url).href;
  return beside(url.endsWith('.ts') ? '../../../dist/worker.js' : './worker.js');
}
