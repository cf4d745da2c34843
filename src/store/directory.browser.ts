/**
 * Stores by name in a page.
 * @module
 */
import { EngineError } from '../base/error.ts';
import type { MirrorStore } from './mirror.ts';

/** @throws {EngineError} `not-supported` */
export async function openDirectory(_name: string): Promise<MirrorStore> {
  throw new EngineError('not-supported', 'store: a page has no directories yet: leave it out for a chain in memory');
}
