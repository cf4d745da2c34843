/**
 * Names of files for modules: what a build writes, and bindings.
 * @module
 */

/** A module as it is named. */
interface Named {
  /** As text; it begins the name of a file if another module would have the same. */
  readonly address: string;
  readonly name: string;
}

/**
 * The name of a module's file, without its extension, among those of `all`. No two of them differ in case only: many file
 * systems take such files for one, and the later would replace the earlier.
 */
export function fileNameOf({ address, name }: Named, all: readonly Named[]): string {
  const alike = all.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  if (alike.length <= 1) return name;
  const there = alike.filter((each) => each.address === address).map((each) => each.name);
  const number = [...new Set(there)].sort().indexOf(name);
  return number > 0 ? `${address}-${name}-${number + 1}` : `${address}-${name}`;
}
