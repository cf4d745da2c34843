/**
 * The entry point `movelet/fast-check`: contracts under random values and random sequences of calls.
 * fast-check has to be installed.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import { arrayOf, assertFits, assertMethods, TEXT } from '../base/argument.ts';
import { invalidArgument } from '../base/error.ts';
import type { Engine } from '../engine/engine.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { Choices, callableFunction } from './random-call.ts';

export {
  type CustomStep,
  type InvariantBroken,
  type InvariantOptions,
  type InvariantReport,
  invariant,
  type RandomCall,
} from './invariant.ts';

/**
 * Random arguments for a function, each of the type of its parameter, for properties of your own:
 *
 * ```ts
 * const deposit = `${alice}::vault::deposit`;
 * await fc.assert(
 *   fc.asyncProperty(await argumentsOf(engine, deposit), async (values) => {
 *     await using chain = engine.fork();
 *     expectChain(await chain.executeAs(alice, { function: deposit, arguments: values })).toBeExecuted();
 *   }),
 * );
 * ```
 * Objects are chosen from those on the chain at the time of the call.
 * @throws {EngineError} `not-found` for a function that cannot be called; `invalid-argument` for a parameter whose
 *   values only code can make, and for one that takes an object if the chain has none of that type
 */
export async function argumentsOf(
  engine: Engine,
  name: string,
  typeArguments: readonly string[] = [],
): Promise<Arbitrary<readonly ViewArgument[]>> {
  assertMethods(engine, 'engine', 'an engine', ['fork']);
  assertFits(typeArguments, 'typeArguments', arrayOf(TEXT));
  const choices = new Choices();
  const callable = await callableFunction(
    engine,
    name,
    'function',
    engine.accounts.map(({ address }) => address),
    choices,
  );
  const draws = callable.parameters(typeArguments).map((_, index) => callable.arbitrary(typeArguments, index));
  await choices.refresh(engine);
  return fc.tuple(...draws).map((drawn) =>
    drawn.map((draw, index) => {
      const value = draw(choices);
      if (value !== undefined) return value;
      throw invalidArgument(`argument ${index} of ${name}: the chain has no object of its type yet`);
    }),
  );
}
