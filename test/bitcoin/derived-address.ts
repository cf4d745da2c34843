/** Addresses that nothing but tests derives. */
import { hash160, sha256 } from '../../src/base/hash/sha256.ts';
import { ADDRESS_KIND, type BitcoinAddress, hashAddress, witnessAddress } from '../../src/bitcoin/address.ts';

/** The version 0 witness address of a compressed public key. */
export function addressOfWitnessPublicKeyHash(publicKey: Uint8Array): BitcoinAddress {
  return witnessAddress(0, hash160(publicKey));
}

/** The address of a script's hash. */
export function addressOfScriptHash(redeemScript: Uint8Array): BitcoinAddress {
  return hashAddress(ADDRESS_KIND.scriptHash, hash160(redeemScript));
}

/** The version 0 witness address of a script. */
export function addressOfWitnessScriptHash(witnessScript: Uint8Array): BitcoinAddress {
  return witnessAddress(0, sha256(witnessScript));
}
