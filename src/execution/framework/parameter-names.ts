/**
 * The names of the parameters of the framework's functions, from its sources: bytecode has none.
 * @module
 */
import { FRAMEWORK_INTERFACES } from './compiled/interfaces.ts';

const FUNCTION = /\bfun (\w+)(?:<[^(]*>)?\(([^)]*)\)/g;
const PARAMETER = /(?:^|,)\s*(\w+)\s*:(?!:)/g;

/**
 * By function, for a module of the framework.
 * @param address 1 to 4
 */
export function frameworkParameterNames(address: number, module: string): ReadonlyMap<string, readonly string[]> {
  const text = FRAMEWORK_INTERFACES[address - 1]?.sources.find(([name]) => name === module)?.[1] ?? '';
  return new Map(
    [...text.matchAll(FUNCTION)].map(([, name, parameters]) => [
      name!,
      [...parameters!.matchAll(PARAMETER)].map(([, parameter]) => parameter!),
    ]),
  );
}
