/**
 * A page loads all that it uses at once: its bundler lays it into files (late.ts).
 * @module
 */
export async function loadParts(): Promise<void> {}
