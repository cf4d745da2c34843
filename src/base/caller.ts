/**
 * Stacks of errors that begin in the caller's code.
 *
 * An error that crosses the boundary of the package is most often about what the caller passed or asked for. Its stack
 * then begins with the line that called a public method: test runners and Node show that line, and a stack that begins
 * with a dozen frames of this package may not reach it at all. Broken invariants keep the stack that they were made with.
 * @module
 */
import { EngineError } from './error.ts';

type Method = (this: unknown, ...given: never[]) => unknown;

/** Makes all methods of classes, static ones and getters too, throw and reject with stacks that begin at their callers. */
export function reportAtCaller(...types: readonly (abstract new (...given: never[]) => unknown)[]): void {
  for (const type of types) {
    report(type, ['length', 'name', 'prototype']);
    report(type.prototype as object, ['constructor']);
  }
}

/** A function that throws and rejects with stacks that begin at its caller. */
export function reportedAtCaller<F extends Method>(method: F): F {
  function reported(this: unknown, ...given: never[]): unknown {
    try {
      const result = method.apply(this, given);
      return result instanceof Promise ? result.catch(rejectAtCaller) : result;
    } catch (error) {
      throw atCaller(error, reported);
    }
  }
  Object.defineProperty(reported, 'name', { value: method.name });
  Object.defineProperty(reported, 'length', { value: method.length });
  return reported as unknown as F;
}

function report(owner: object, exceptions: readonly string[]): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (exceptions.includes(name)) continue;
    if (typeof property.value === 'function') property.value = reportedAtCaller(property.value);
    else if (property.get !== undefined) property.get = reportedAtCaller(property.get);
    else continue;
    Object.defineProperty(owner, name, property);
  }
}

/** Async functions that await the promise are on the stack; who handles it otherwise keeps the stack that there is. */
function rejectAtCaller(error: unknown): never {
  throw atCaller(error, rejectAtCaller);
}

function atCaller(error: unknown, called: (...given: never[]) => unknown): unknown {
  const { captureStackTrace } = Error as Partial<ErrorConstructor>;
  if (captureStackTrace === undefined || !(error instanceof EngineError) || error.code === 'invariant-violation')
    return error;
  const made = error.stack;
  captureStackTrace(error, called);
  if (made !== undefined && !error.stack?.includes('\n    at ')) error.stack = made;
  return error;
}
