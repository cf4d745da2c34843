/**
 * Stacks of errors that begin in the caller's code.
 *
 * An error that leaves the package is mostly about the caller's arguments. Its stack then begins with the line that called
 * a public method: test runners and Node show that line, which a dozen frames of this package would push out of the stack.
 * Broken invariants keep their original stack.
 * @module
 */
import { EngineError } from './error.ts';

type Method = (this: unknown, ...given: never[]) => unknown;

/** Makes all methods and getters of a class, also static ones, throw and reject with stacks that begin at their callers. */
export function reportAtCaller(type: { readonly prototype: object }): void {
  report(type, ['length', 'name', 'prototype']);
  report(type.prototype, ['constructor']);
}

/** A function that throws and rejects with stacks that begin at its caller. */
export function reportedAtCaller<F extends Method>(method: F): F {
  function reported(this: unknown, ...given: never[]): unknown {
    try {
      const result = method.apply(this, given);
      return result instanceof Promise ? settled(result, reported) : result;
    } catch (error) {
      if (mayMove(error)) Error.captureStackTrace(error, reported);
      throw error;
    }
  }
  Object.defineProperty(reported, 'name', { value: method.name });
  Object.defineProperty(reported, 'length', { value: method.length });
  return reported as unknown as F;
}

/** A promise whose failure has the stack of the call, since the caller is off the stack when it fails. */
function settled(result: Promise<unknown>, called: Method): Promise<unknown> {
  if (!CAN_CAPTURE) return result;
  const call: { stack?: string } = {};
  Error.captureStackTrace(call, called);
  return result.catch(function moved(error: unknown): never {
    if (mayMove(error)) {
      // Node shows the source line of this stack, and the text of the other.
      Error.captureStackTrace(error, moved);
      const frames = call.stack?.indexOf('\n') ?? -1;
      if (frames >= 0) error.stack = `${error.name}: ${error.message}${call.stack!.slice(frames)}`;
    }
    throw error;
  });
}

/** False in some browsers. */
const CAN_CAPTURE = 'captureStackTrace' in Error;

/** Errors from the caller's own code, such as a callback, whose stacks already begin there. */
const kept = new WeakSet<object>();

/** Keeps the stack of an error unchanged when it passes public methods. */
export function keepStack(error: unknown): unknown {
  if (error instanceof EngineError) kept.add(error);
  return error;
}

function mayMove(error: unknown): error is EngineError {
  return CAN_CAPTURE && error instanceof EngineError && error.code !== 'invariant-violation' && !kept.has(error);
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
