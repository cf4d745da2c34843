/**
 * The meanings of the framework's abort codes (a table): its sources' comments on the constants in abort-names.ts.
 * @module
 */

/** By module, `0x3::coin`; then by code. */
export const ABORT_MEANINGS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  '0x1::acl': {
    0: 'The address is in the list already.',
    1: 'The address is not in the list.',
  },
  '0x1::ascii': {
    65536: 'A byte is above 127.',
  },
  '0x1::bit_vector': {
    131072: 'The index is not below the length.',
    131073: 'A length of zero, or of 1024 and more.',
  },
  '0x1::fixed_point32': {
    65537: 'A ratio with denominator zero.',
    65540: 'A division by a zero fraction.',
    131074: 'A quotient does not fit u64.',
    131075: 'A product does not fit u64.',
    131077: 'A ratio is too large, or not zero and too small, to be held.',
  },
  '0x1::option': {
    262144: 'A value is there where none may be.',
    262145: 'No value is there where one must be.',
    262146: 'A vector of two or more is no option.',
  },
  '0x1::string': {
    2: 'A position beyond the end, inside a character, or behind the other one.',
  },
  '0x1::vector': {
    131072: 'A position is not below the length.',
    131073: 'A range ends before it starts.',
    131074:
      'Two vectors that must be of one length are not. Inline functions cannot name it, so they spell the number.',
    131075: 'A step of zero.',
    131076: 'A slice ends before it starts, or beyond the end.',
  },
  '0x2::account': {
    1: 'The address has an account.',
    2: 'The sequence number is used up.',
    3: "The address is the machine's own.",
    5: 'The account has a resource of this type.',
    6: 'The account has no resource of this type.',
    7: 'The function is there for contracts that import it, and can no longer be called.',
  },
  '0x2::address': {
    1: 'Text that is no address.',
  },
  '0x2::any': {
    1: 'The value is of another type.',
    2: 'The bytes are no value of that type.',
  },
  '0x2::bag': {
    1: 'The bag must stay droppable, and the value is not.',
    2: 'The bag may hold values that cannot be dropped.',
  },
  '0x2::bcs': {
    2: 'The bytes are no value of the type.',
    3: 'Too few bytes for an address.',
    4: 'A bool that is neither 0 nor 1.',
    5: 'Too few bytes for an integer.',
    6: 'A length of more than five bytes.',
  },
  '0x2::big_vector': {
    1: 'The position is not below the length.',
    2: 'There still are elements.',
    3: 'There are no elements.',
    4: 'Buckets of no elements.',
  },
  '0x2::cbor': {
    1: 'The bytes are no CBOR, or none of this type.',
  },
  '0x2::consensus_codec': {
    2: 'A compact size that has a shorter form.',
  },
  '0x2::copyable_any': {
    1: 'The value is of another type.',
    2: 'The bytes are no value of that type.',
  },
  '0x2::core_addresses': {
    1: 'The signer is not the machine.',
    2: 'The address is none of 0x1 to 0xa.',
  },
  '0x2::decimal_value': {
    1: 'The result would be below zero.',
    2: 'A division by zero.',
    5: 'Text that is no decimal fraction.',
    6: 'More places after the point than can be held.',
  },
  '0x2::did_key': {
    1: 'Text that does not start with `did:key:`, or has nothing after it.',
  },
  '0x2::event_queue': {
    3: 'An event that must be in the queue is not.',
  },
  '0x2::features': {
    2: 'The feature is off.',
  },
  '0x2::gas_schedule': {
    1: 'No prices were given.',
  },
  '0x2::genesis': {
    1: 'The node did not say what genesis needs, or its clock is another.',
  },
  '0x2::hex': {
    1: 'An odd number of digits.',
    2: 'A character that is no digit.',
  },
  '0x2::json': {
    2: 'The text is no JSON, or none of this type.',
  },
  '0x2::linked_table': {
    0: 'There still are entries.',
    1: 'There are no entries.',
  },
  '0x2::module_store': {
    1: 'The package is not on the list of those that may be published.',
    2: "The sender does not own the package's upgrade capability.",
    3: 'The package has an upgrade capability.',
  },
  '0x2::move_module': {
    4: 'Two lists that must be of one length are not.',
  },
  '0x2::multibase_key': {
    1: 'An Ed25519 key that is not of 32 bytes.',
    2: 'A secp256k1 key that is not of 33 bytes.',
    3: 'A P-256 key that is not of 33 bytes.',
    4: 'Bytes that are no key of a known kind.',
    5: 'A number of no kind.',
    6: 'Text that is not multibase.',
  },
  '0x2::object': {
    3: "The new owner is the system's address.",
    4: 'The signer does not own the object.',
    5: 'The object is not shared.',
    8: 'The object still has fields.',
    9: 'The object is frozen.',
    11: 'A child object may have no child objects.',
    12: 'The root has no parent.',
    16: 'Text that is no object id.',
  },
  '0x2::result': {
    1: 'There is no value.',
    2: 'There is no error.',
  },
  '0x2::simple_map': {
    1: 'There is an entry with this key.',
    2: 'There is no entry with this key.',
  },
  '0x2::simple_multimap': {
    1: 'There is no entry with this key.',
  },
  '0x2::string_utils': {
    1: 'Text that is no number.',
  },
  '0x2::table_vec': {
    1: 'The position is not below the length.',
    2: 'There still are elements.',
  },
  '0x2::timestamp': {
    1: 'The new time is before the present one.',
    2: 'The signer is no system account.',
  },
  '0x2::tx_context': {
    1: 'An attribute that must be there is not.',
    2: 'There is an attribute of this type.',
  },
  '0x3::account': {
    1: "The address is the system's.",
    2: "The address is not the system's.",
  },
  '0x3::account_authentication': {
    1: 'The account has this module.',
  },
  '0x3::account_coin_store': {
    1: 'The account takes no coins of this type.',
    3: 'The amount is larger than the balance.',
  },
  '0x3::auth_payload': {
    1: 'The message does not start as it must.',
  },
  '0x3::auth_validator': {
    1: 'The sender was not proven yet.',
  },
  '0x3::auth_validator_registry': {
    1: 'No module is registered under this number or type.',
    2: 'A module is registered under this type.',
  },
  '0x3::bitcoin_address': {
    1: 'Text or bytes that are no address.',
  },
  '0x3::coin': {
    1: 'The type is not registered.',
    2: 'The type is registered.',
    3: 'The amount is larger than the coin.',
    4: 'A coin of some value would be lost.',
    6: 'The name is longer than 32 bytes.',
    7: 'The symbol is longer than 10 bytes.',
    8: 'The type has no `CoinInfo`.',
    9: 'The registry is there.',
    11: 'The coin is of another type.',
  },
  '0x3::coin_migration': {
    3: 'The sender does not hold the capability.',
  },
  '0x3::coin_store': {
    1: 'There is no store with this id.',
    2: 'The store is frozen.',
    4: 'The amount is larger than the balance.',
    5: 'The owner of a store does not change.',
  },
  '0x3::core_addresses': {
    1: 'Genesis does not sign.',
    2: 'The framework does not sign.',
  },
  '0x3::did': {
    1: 'There is no document with this id.',
    2: 'There is a document with this id.',
    4: 'The document has no such method.',
    5: 'The document has such a method.',
    6: 'The document has no such service.',
    7: 'The document has such a service.',
    9: 'There is no relationship of this number.',
    12: 'The registry is there.',
    13: "The signer's account has no document.",
    16: 'Keys and values are not of one number.',
    19: 'Methods of this type cannot sign transactions.',
    20: 'Text that is no key.',
    22: 'Text that is no identifier.',
    23: "The key is not that of the sender's Bitcoin address.",
    25: 'No method of the document signed the transaction.',
    26: 'The method that signed may not do this.',
    27: "The signer is not the document's account.",
    29: "The custodian's document has no custodian service.",
    30: 'The custodian has no document.',
    31: 'Controllers are identified by `key` or `bitcoin` only.',
    32: 'A controller by `bitcoin` needs a key and its type.',
    33: "The key is not that of the controller's Bitcoin address.",
    34: 'A controller by `bitcoin` needs a secp256k1 key.',
    35: 'Too many methods in the document.',
    36: 'Too many methods in the relationship.',
    37: 'Too many services in the document.',
    38: 'Too many properties of the service.',
    41: 'The name of a method or service is too long.',
    42: 'Text is too long.',
  },
  '0x3::did_validator': {
    101002: 'There is no envelope of this number.',
    101004: 'The method is not one for authentication.',
    101005: 'The document has no such method.',
    101006: 'The message is not that of the transaction.',
    101007: 'The method did not sign.',
  },
  '0x3::ecdsa_r1': {
    1: 'The signature is not of 64 bytes.',
    2: 'The key is not of 33 bytes.',
  },
  '0x3::ethereum_address': {
    1: 'The key is not of 33 bytes.',
    2: 'The key is no point.',
    3: 'The bytes are not 20.',
  },
  '0x3::genesis': {
    1: 'The node did not say what genesis needs.',
  },
  '0x3::multi_coin_store': {
    1: 'There is no store with this id.',
    2: 'Coins of this type are frozen here.',
    4: 'The amount is larger than the balance.',
    5: 'The owner of a store does not change.',
    6: 'The type must have `key` and `store`.',
    7: 'The type must have `key`.',
  },
  '0x3::multichain_address': {
    1: 'The address is of another chain.',
  },
  '0x3::onchain_config': {
    1: 'The administrator does not sign.',
  },
  '0x3::oracle': {
    0: 'The capability is of another oracle.',
    1: 'Nothing was said under this name.',
  },
  '0x3::oracle_meta': {
    0: 'Too few oracles said something lately.',
  },
  '0x3::payment_channel': {
    1: 'The signer is not the receiver.',
    2: 'The channel is not in the state that this needs.',
    3: 'The sender did not sign the voucher.',
    4: "The sender's document has no such method.",
    5: 'The method is not one for authentication.',
    7: 'The number of the voucher is older than the last.',
    8: 'The sum of the voucher is less than the last, or there is nothing to finish.',
    10: 'The day is not over.',
    14: 'The signer is not the sender.',
    15: 'There is no such sub-channel.',
    16: 'Only the sender opens sub-channels.',
    17: 'There is such a sub-channel.',
    18: 'The channel is open.',
    20: 'The sender has no identity document.',
    25: 'Part of the balance must stay while channels are open.',
    26: 'The signer may not do this.',
    27: 'Too many vouchers at once.',
  },
  '0x3::payment_revenue': {
    1: 'The amount is larger than the balance.',
    2: 'The account has no hub.',
    4: 'Nothing to take out.',
  },
  '0x3::rs256': {
    1: 'The signature is not as long as the modulus.',
    2: 'The modulus is too short, or the exponent not of 1 to 512 bytes.',
    3: 'The hash is unknown.',
    4: 'The hash of the message is not of 32 bytes.',
  },
  '0x3::session_key': {
    1: 'A session key must not make another.',
    2: 'The account has this key.',
    3: 'The account has no keys.',
    4: 'The parts of scopes are not of one number, or text is no scope.',
    5: 'The key would live longer than a year unused.',
  },
  '0x3::simple_rng': {
    0: 'The range is empty.',
  },
  '0x3::timestamp': {
    1: 'The chain is not a local one.',
  },
  '0x3::transaction_fee': {
    1: 'More gas was used than paid for.',
  },
  '0x3::transfer': {
    1: 'No account of this address is on record.',
  },
  '0x3::webauthn_validator': {
    2001: 'It proves nobody any more.',
  },
  '0x4::bbn': {
    1: 'Parameters that are there already.',
    9: 'A script of no keys.',
    11: 'A script that asks for more signatures than it has keys.',
    12: 'A tree of scripts without a root.',
    13: 'An output that is staked already.',
  },
  '0x4::bbn_updater': {
    1: 'A transaction that is not known.',
  },
  '0x4::bitcoin': {
    1: "A proof that does not lead to the block's root.",
    3: 'Another block of a height that is settled.',
    4: 'A spent output that is not known, on the main network.',
    5: 'A block that is not known.',
  },
  '0x4::bitcoin_hash': {
    1: 'Text that is not 64 hexadecimal digits.',
  },
  '0x4::bitcoin_multisign_validator': {
    1: 'A registry that gave another number.',
  },
  '0x4::genesis': {
    1: "No settings in the transaction's context.",
    2: 'An address that does not follow from the keys.',
  },
  '0x4::inscription_updater': {
    1: 'A transaction that pays more than it spends, on the main network.',
    2: "Inscriptions without a place after a block's last transaction.",
  },
  '0x4::multisign_account': {
    1: 'A threshold above the number of keys.',
    2: 'No account at the address.',
    6: 'A public key of the wrong length.',
  },
  '0x4::network': {
    1: 'A network that is none of the four.',
  },
  '0x4::ord': {
    1: 'A metaprotocol whose name is taken.',
    2: "A type that is not the one of the inscription's metaprotocol.",
    3: 'No inscription of that number.',
  },
  '0x4::pending_block': {
    2: 'A block that does not wait.',
    3: 'A transaction that does not wait.',
    4: 'Another block in the place of one whose transactions are executed.',
    5: 'A transaction of a block that not enough others follow.',
    6: 'A block that is to be settled before all its transactions are executed.',
    7: 'A function for local chains, on another.',
  },
  '0x4::script_buf': {
    1: 'A public key of the wrong length.',
    2: 'A number past those of 63 bits.',
    3: 'A hash of a key that is not 20 bytes.',
    4: 'A hash of a script that is not 20 bytes.',
  },
  '0x4::taproot_builder': {
    1: 'A leaf deeper than a control block can tell.',
    2: 'A leaf where the tree has no place left of the last one.',
    3: 'A leaf more than the tree has places.',
    4: 'A builder in a state that no leaves lead to.',
  },
  '0x4::temp_state': {
    1: 'More values than fit.',
    2: 'No value of the type.',
  },
};
