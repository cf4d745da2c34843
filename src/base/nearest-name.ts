/**
 * Suggestions for misspelt names.
 * @module
 */

/** Bounds on the compared names, so that the time is bounded. */
const LENGTH_MAX = 64;
const NAMES_MAX = 1_000;

/**
 * The nearest of other names, ignoring case. Undefined if none is near: more than a third of the characters would have to
 * change, or half of a short name.
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  let nearest: string | undefined;
  let fewest = Math.min(Math.floor(name.length / 2), Math.max(2, Math.floor(name.length / 3))) + 1;
  let left = NAMES_MAX;
  for (const other of names) {
    if (left-- === 0) break;
    if (other === name || other.length > LENGTH_MAX || Math.abs(other.length - name.length) >= fewest) continue;
    const edits = editDistance(name.toLowerCase(), other.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [other, edits];
  }
  return nearest;
}

/** A note with the nearest name, as a list; empty if none is near. */
export function didYouMean(name: string, names: Iterable<string>): string[] {
  const nearest = nearestName(name, names);
  return nearest === undefined ? [] : [`did you mean '${nearest}'?`];
}

/** Levenshtein distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = previous[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[right.length]!;
}
