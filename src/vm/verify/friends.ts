/**
 * A module's friends are other modules of its own address.
 * Source: the reference's `move-bytecode-verifier/src/friends.rs`.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import type { Module } from '../binary/module.ts';
import { StatusCode } from '../status.ts';
import { rejectEntry } from '../verdict.ts';

export function checkFriends(module: Module): void {
  const self = module.moduleHandles[module.selfHandle]!;
  const own = module.friends.findIndex(({ address, name }) => address === self.address && name === self.name);
  if (own >= 0) {
    throw rejectEntry(StatusCode.INVALID_FRIEND_DECL_WITH_SELF, 'friend', own, 'a module cannot be its own friend');
  }
  const address = module.addresses[self.address]!;
  const foreign = module.friends.findIndex((friend) => !equalBytes(module.addresses[friend.address]!, address));
  if (foreign >= 0) {
    throw rejectEntry(
      StatusCode.INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS,
      'friend',
      foreign,
      'expected friends at the address of the module',
    );
  }
}
