/**
 * How a transaction or a view ended, readable: the module in which it failed has an address that prints as text, and the
 * code of an abort turns into JSON.
 * @module
 */
import type { Location } from '../transaction/execution-info.ts';
import { AddressValue } from './address.ts';
import { readable } from './readable.ts';

/** The readable form of a status, which compares as the status does. */
export function readableStatus<T extends { readonly kind: string }>(status: T): T {
  if (!('location' in status)) return status;
  return readable({ ...status, location: readableLocation(status.location as Location) });
}

function readableLocation(location: Location): Location {
  return location.kind === 'script' ? location : { ...location, address: new AddressValue(location.address) };
}
