/**
 * The name that was probably meant.
 * @module
 */

/** More differences than these are no slip. */
const DISTANCE_MAX = 2;
/** Longer names are not compared, so that the time is bounded. */
const LENGTH_MAX = 64;

/** A note that names the nearest of `known`, as a list of notes; empty if none is near. */
export function didYouMean(name: string, known: Iterable<string>): string[] {
  if (name.length > LENGTH_MAX) return [];
  let best: string | undefined;
  let least = Math.min(DISTANCE_MAX, Math.floor(name.length / 2)) + 1;
  for (const each of known) {
    if (each === name || each.length > LENGTH_MAX || Math.abs(each.length - name.length) >= least) continue;
    const distance = distanceOf(name, each);
    if (distance < least) [best, least] = [each, distance];
  }
  return best === undefined ? [] : [`did you mean '${best}'?`];
}

/** How many letters have to be added, removed or changed. */
function distanceOf(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 0; at < left.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < right.length; to++) {
      const changed = row[to]! + (left[at] === right[to] ? 0 : 1);
      next.push(Math.min(changed, row[to + 1]! + 1, next[to]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
