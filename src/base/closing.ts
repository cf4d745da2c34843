/**
 * Closing several resources, one after another.
 * @module
 */

/**
 * Calls each function, in order, even if others fail, and awaits its promise if it returns one; nothing is awaited before
 * the first promise.
 * @throws the first error, once all have been called
 */
export async function closeEach(...ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends) {
    try {
      const closing = end();
      if (closing !== undefined) await closing;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
