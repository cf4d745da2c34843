/**
 * Forks of live chains, for pages: they have none, since a page has no thread that could wait for rows of a remote chain.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import type * as Remote from './open-remote.ts';

/** @throws {EngineError} `not-supported` */
export const openRemote: typeof Remote.openRemote = async () => {
  throw new EngineError('not-supported', 'fork: a page cannot fork a live chain; load a dump of it (bootstrap)');
};
