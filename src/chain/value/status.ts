/**
 * The status of a transaction or a view, in results.
 * @module
 */
import { ownerName } from '../../move/type-tag.ts';
import type { Location } from '../transaction/execution-info.ts';
import { readable } from './readable.ts';

/** A status whose location is text: `<address>::<module>`, or `script`. */
export type StatusOf<T> = T extends { readonly location: Location }
  ? Omit<T, 'location'> & { readonly location: string }
  : T;

export function statusValue<T extends { readonly kind: string }>(status: T): StatusOf<T> {
  if (!('location' in status)) return status as StatusOf<T>;
  const location = status.location as Location;
  const text = location.kind === 'script' ? 'script' : `${ownerName(location.address)}::${location.name}`;
  return readable({ ...status, location: text }) as unknown as StatusOf<T>;
}
