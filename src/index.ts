/**
 * The public surface of movelet.
 * @module
 */
export { EngineError, type EngineErrorOptions, ERROR_CODES, type ErrorCode } from './error.ts';
