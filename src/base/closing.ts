/**
 * Closing several things one after another: each of them is closed, whatever became of those before it.
 * @module
 */

/**
 * Calls each function, in order, and waits for its promise if it returns one. Nothing is awaited before the first
 * promise.
 * @throws the first thing that any of them threw, once all have been called
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
