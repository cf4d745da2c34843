/// Accounts of several keys, each at the taproot address whose one script asks for a threshold of signatures.
module bitcoin_move::multisign_account {
    use std::option;
    use std::vector;
    use moveos_std::account::{Self, Account};
    use moveos_std::object::Object;
    use moveos_std::result;
    use moveos_std::signer;
    use moveos_std::simple_map::{Self, SimpleMap};
    use moveos_std::sort;
    use rooch_framework::address_mapping;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use bitcoin_move::opcode;
    use bitcoin_move::script_buf::{Self, ScriptBuf};
    use bitcoin_move::taproot_builder;

    /// A threshold above the number of keys.
    const ErrorInvalidThreshold: u64 = 1;
    /// No account at the address.
    const ErrorMultisignAccountNotFound: u64 = 2;
    /// A public key of the wrong length.
    const ErrorInvalidPublicKey: u64 = 6;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidParticipant: u64 = 3;
    #[test_only] const ErrorParticipantMustHasBitcoinAddress: u64 = 4;
    #[test_only] const ErrorParticipantAlreadyJoined: u64 = 5;
    #[test_only] const ErrorInvalidProposal: u64 = 7;
    #[test_only] const ErrorProposalAlreadySigned: u64 = 8;
    #[test_only] const ErrorInvalidProposalStatus: u64 = 9;
    #[test_only] const ErrorInvalidSignature: u64 = 10;

    const KEY_SIZE: u64 = 33;
    const X_ONLY_KEY_SIZE: u64 = 32;

    struct MultisignAccountInfo has key, store {
        multisign_address: address,
        multisign_bitcoin_address: BitcoinAddress,
        threshold: u64,
        participants: SimpleMap<address, ParticipantInfo>,
    }

    struct ParticipantInfo has copy, drop, store {
        participant_address: address,
        participant_bitcoin_address: BitcoinAddress,
        public_key: vector<u8>,
    }

    /// Makes the account of these keys.
    public entry fun initialize_multisig_account_entry(
        threshold: u64,
        participant_public_keys: vector<vector<u8>>
    ) {
        initialize_multisig_account(threshold, participant_public_keys);
    }

    /// Makes the account of these keys; gives its address. The keys are compressed.
    public fun initialize_multisig_account(threshold: u64, participant_public_keys: vector<vector<u8>>): address {
        assert!(vector::length(&participant_public_keys) >= threshold, ErrorInvalidThreshold);
        vector::for_each_ref(&participant_public_keys, |key| {
            let key: &vector<u8> = key;
            assert!(vector::length(key) == KEY_SIZE, ErrorInvalidPublicKey);
        });
        let multisign_bitcoin_address = generate_multisign_address(threshold, participant_public_keys);
        let multisign_address = bitcoin_address::to_rooch_address(&multisign_bitcoin_address);
        let participants = simple_map::new();
        vector::for_each(participant_public_keys, |public_key| {
            let participant_bitcoin_address =
                bitcoin_address::derive_bitcoin_taproot_address_from_pubkey(&public_key);
            let participant_address = bitcoin_address::to_rooch_address(&participant_bitcoin_address);
            simple_map::add(
                &mut participants,
                participant_address,
                ParticipantInfo { participant_address, participant_bitcoin_address, public_key }
            );
        });
        let account = borrow_mut_or_create(multisign_address, multisign_bitcoin_address);
        account::account_move_resource_to(
            account,
            MultisignAccountInfo { multisign_address, multisign_bitcoin_address, threshold, participants }
        );
        multisign_address
    }

    /// The Bitcoin address of these keys, compressed or without the byte of their parity. Their order does not matter.
    public fun generate_multisign_address(threshold: u64, public_keys: vector<vector<u8>>): BitcoinAddress {
        assert!(vector::length(&public_keys) >= threshold, ErrorInvalidThreshold);
        let keys = vector[];
        vector::for_each(public_keys, |key| vector::push_back(&mut keys, x_only(key)));
        sort::sort(&mut keys);
        let builder = taproot_builder::new();
        taproot_builder::add_leaf(&mut builder, 0, threshold_script(threshold, &keys));
        let root = result::unwrap(taproot_builder::finalize(builder));
        bitcoin_address::p2tr(vector::borrow(&keys, 0), option::some(root))
    }

    /// Whether an address is one of an account's keys' own.
    public fun is_participant(multisign_address: address, participant_address: address): bool {
        account::exists_at(multisign_address)
            && simple_map::contains_key(&borrow_info(multisign_address).participants, &participant_address)
    }

    /// Whether a key is one of an account's.
    public fun is_participant_via_public_key(multisign_address: address, public_key: &vector<u8>): bool {
        if (!account::exists_at(multisign_address)) return false;
        let all = participants(multisign_address);
        let i = 0;
        while (i < vector::length(&all)) {
            if (&vector::borrow(&all, i).public_key == public_key) return true;
            i = i + 1;
        };
        false
    }

    /// Whether an account of several keys is at the address.
    public fun is_multisign_account(multisign_address: address): bool {
        account::exists_at(multisign_address) && account::exists_resource<MultisignAccountInfo>(multisign_address)
    }

    /// An account's Bitcoin address.
    public fun bitcoin_address(multisign_address: address): BitcoinAddress {
        borrow_info(multisign_address).multisign_bitcoin_address
    }

    /// How many signatures an account asks for.
    public fun threshold(multisign_address: address): u64 {
        borrow_info(multisign_address).threshold
    }

    /// An account's keys.
    public fun participants(multisign_address: address): vector<ParticipantInfo> {
        simple_map::values(&borrow_info(multisign_address).participants)
    }

    /// An account's key by the key's own address.
    public fun participant(multisign_address: address, participant_address: address): ParticipantInfo {
        *simple_map::borrow(&borrow_info(multisign_address).participants, &participant_address)
    }

    /// The key.
    public fun participant_public_key(participant: &ParticipantInfo): &vector<u8> {
        &participant.public_key
    }

    /// The key's own Bitcoin address.
    public fun participant_bitcoin_address(participant: &ParticipantInfo): &BitcoinAddress {
        &participant.participant_bitcoin_address
    }

    /// The key's own address.
    public fun participant_address(participant: &ParticipantInfo): address {
        participant.participant_address
    }

    /// A signature check of the first key, one that counts of each other, and the comparison with the threshold.
    fun threshold_script(threshold: u64, keys: &vector<vector<u8>>): ScriptBuf {
        let sb = script_buf::empty();
        vector::for_each_ref(keys, |key| {
            let check = if (script_buf::is_empty(&sb)) opcode::op_checksig() else opcode::op_checksigadd();
            script_buf::push_x_only_key(&mut sb, *key);
            script_buf::push_opcode(&mut sb, check);
        });
        script_buf::push_int(&mut sb, threshold);
        script_buf::push_opcode(&mut sb, opcode::op_greaterthanorequal());
        sb
    }

    fun x_only(key: vector<u8>): vector<u8> {
        let size = vector::length(&key);
        if (size == KEY_SIZE) return vector::slice(&key, 1, KEY_SIZE);
        assert!(size == X_ONLY_KEY_SIZE, ErrorInvalidPublicKey);
        key
    }

    fun borrow_info(multisign_address: address): &MultisignAccountInfo {
        assert!(account::exists_at(multisign_address), ErrorMultisignAccountNotFound);
        account::account_borrow_resource<MultisignAccountInfo>(account::borrow_account(multisign_address))
    }

    fun borrow_mut_or_create(addr: address, bitcoin_address: BitcoinAddress): &mut Object<Account> {
        let system = signer::module_signer<MultisignAccountInfo>();
        let owner = if (account::exists_at(addr)) {
            account::create_signer_for_system(&system, addr)
        } else {
            let owner = account::create_account_by_system(&system, addr);
            address_mapping::bind_bitcoin_address_by_system(&system, addr, bitcoin_address);
            owner
        };
        account::borrow_mut_account(&owner)
    }
}
