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

/** Makes all methods of a class, static ones and getters too, throw and reject with stacks that begin at their callers. */
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

/** A promise whose failure has the stack of the call: by then, what called is no longer on the stack. */
function settled(result: Promise<unknown>, called: Method): Promise<unknown> {
  if (!CAN_CAPTURE) return result;
  const call: { stack?: string } = {};
  Error.captureStackTrace(call, called);
  return result.catch(function moved(error: unknown): never {
    if (mayMove(error)) {
      // Node shows the line of source of this stack, and the text of the other.
      Error.captureStackTrace(error, moved);
      const frames = call.stack?.indexOf('\n') ?? -1;
      if (frames >= 0) error.stack = `${error.name}: ${error.message}${call.stack!.slice(frames)}`;
    }
    throw error;
  });
}

/** Whether the host can, which all but some browsers can. */
const CAN_CAPTURE = 'captureStackTrace' in Error;

/** Errors that came out of the caller's own code, such as a callback, and whose stacks already begin there. */
const kept = new WeakSet<object>();

/** Leaves the stack of an error as it is, whatever methods it passes on its way. */
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
