/// Identity documents (W3C DID) on the chain: accounts without a key of their own, whose methods sign for them. A document
/// is an object found under its identifier, which is the bech32 text of its account's address. Its methods stand in
/// relationships that say what each may do; one for authentication also becomes a session key of the account.
///
/// Who changes a document is its own account, in a transaction signed by a method: one for delegation to change methods,
/// one for invocation to change services.
module rooch_framework::did {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::account::{Self, AccountCap};
    use moveos_std::address;
    use moveos_std::event;
    use moveos_std::multibase_codec;
    use moveos_std::multibase_key;
    use moveos_std::object::{Self, ObjectID};
    use moveos_std::signer;
    use moveos_std::simple_map::{Self, SimpleMap};
    use moveos_std::table::{Self, Table};
    use rooch_framework::auth_validator;
    use rooch_framework::bitcoin_address;
    use rooch_framework::ecdsa_k1;
    use rooch_framework::ecdsa_r1;
    use rooch_framework::ed25519;
    use rooch_framework::session_key::{Self, SessionScope};

    friend rooch_framework::genesis;
    friend rooch_framework::transaction_validator;

    /// There is no document with this id.
    const ErrorDIDDocumentNotExist: u64 = 1;
    /// There is a document with this id.
    const ErrorDIDAlreadyExists: u64 = 2;
    /// The document has no such method.
    const ErrorVerificationMethodNotFound: u64 = 4;
    /// The document has such a method.
    const ErrorVerificationMethodAlreadyExists: u64 = 5;
    /// The document has no such service.
    const ErrorServiceNotFound: u64 = 6;
    /// The document has such a service.
    const ErrorServiceAlreadyExists: u64 = 7;
    /// There is no relationship of this number.
    const ErrorInvalidVerificationRelationship: u64 = 9;
    /// The registry is there.
    const ErrorDIDRegistryAlreadyInitialized: u64 = 12;
    /// The signer's account has no document.
    const ErrorDIDObjectNotFound: u64 = 13;
    /// Keys and values are not of one number.
    const ErrorPropertyKeysValuesLengthMismatch: u64 = 16;
    /// Methods of this type cannot sign transactions.
    const ErrorUnsupportedAuthKeyTypeForSessionKey: u64 = 19;
    /// Text that is no key.
    const ErrorInvalidPublicKeyMultibaseFormat: u64 = 20;
    /// Text that is no identifier.
    const ErrorInvalidDIDStringFormat: u64 = 22;
    /// The key is not that of the sender's Bitcoin address.
    const ErrorDIDKeyControllerPublicKeyMismatch: u64 = 23;
    /// No method of the document signed the transaction.
    const ErrorSessionKeyNotFound: u64 = 25;
    /// The method that signed may not do this.
    const ErrorInsufficientPermission: u64 = 26;
    /// The signer is not the document's account.
    const ErrorSignerNotDIDAccount: u64 = 27;
    /// The custodian's document has no custodian service.
    const ErrorCustodianDoesNotHaveCADOPService: u64 = 29;
    /// The custodian has no document.
    const ErrorCustodianDIDNotFound: u64 = 30;
    /// Controllers are identified by `key` or `bitcoin` only.
    const ErrorControllerDIDMethodNotSupported: u64 = 31;
    /// A controller by `bitcoin` needs a key and its type.
    const ErrorControllerMissingUserVMInfo: u64 = 32;
    /// The key is not that of the controller's Bitcoin address.
    const ErrorControllerBitcoinAddressMismatch: u64 = 33;
    /// A controller by `bitcoin` needs a secp256k1 key.
    const ErrorInvalidVMTypeForController: u64 = 34;
    /// Too many methods in the document.
    const ErrorTooManyVerificationMethods: u64 = 35;
    /// Too many methods in the relationship.
    const ErrorTooManyRelationshipMethods: u64 = 36;
    /// Too many services in the document.
    const ErrorTooManyServices: u64 = 37;
    /// Too many properties of the service.
    const ErrorTooManyServiceProperties: u64 = 38;
    /// The name of a method or service is too long.
    const ErrorFragmentTooLong: u64 = 41;
    /// Text is too long.
    const ErrorStringTooLong: u64 = 42;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorUnauthorized: u64 = 3;
    #[test_only] const ErrorVerificationMethodExpired: u64 = 8;
    #[test_only] const ErrorVerificationMethodNotInRelationship: u64 = 10;
    #[test_only] const ErrorInvalidSignature: u64 = 11;
    #[test_only] const ErrorAccountCapNotFound: u64 = 14;
    #[test_only] const ErrorControllerPermissionDenied: u64 = 15;
    #[test_only] const ErrorInvalidArgument: u64 = 17;
    #[test_only] const ErrorNoControllersSpecified: u64 = 18;
    #[test_only] const ErrorSessionKeyRegistrationFailed: u64 = 21;
    #[test_only] const ErrorMultipleDIDKeyControllersNotAllowed: u64 = 24;
    #[test_only] const ErrorNoSessionKeyInContext: u64 = 28;
    #[test_only] const ErrorTooManyAlsoKnownAs: u64 = 39;
    #[test_only] const ErrorTooManyControllers: u64 = 40;

    const METHODS_MAX: u64 = 64;
    const RELATIONSHIP_METHODS_MAX: u64 = 64;
    const SERVICES_MAX: u64 = 32;
    const PROPERTIES_MAX: u64 = 16;
    const FRAGMENT_LENGTH_MAX: u64 = 128;
    const TEXT_LENGTH_MAX: u64 = 512;

    const AUTHENTICATION: u8 = 0;
    const ASSERTION_METHOD: u8 = 1;
    const CAPABILITY_INVOCATION: u8 = 2;
    const CAPABILITY_DELEGATION: u8 = 3;
    const KEY_AGREEMENT: u8 = 4;

    const ED25519_TYPE: vector<u8> = b"Ed25519VerificationKey2020";
    const SECP256K1_TYPE: vector<u8> = b"EcdsaSecp256k1VerificationKey2019";
    const SECP256R1_TYPE: vector<u8> = b"EcdsaSecp256r1VerificationKey2019";
    const CUSTODIAN_SERVICE_TYPE: vector<u8> = b"CadopCustodianService";
    const ACCOUNT_KEY: vector<u8> = b"account-key";

    /// `did:method:identifier`.
    struct DID has copy, drop, store {
        method: String,
        identifier: String,
    }

    struct VerificationMethodID has copy, drop, store {
        did: DID,
        fragment: String,
    }

    struct ServiceID has copy, drop, store {
        did: DID,
        fragment: String,
    }

    /// A key that may sign.
    struct VerificationMethod has copy, drop, store {
        id: VerificationMethodID,
        type: String,
        controller: DID,
        public_key_multibase: String,
    }

    /// A way to reach the subject.
    struct Service has copy, drop, store {
        id: ServiceID,
        type: String,
        service_endpoint: String,
        properties: SimpleMap<String, String>,
    }

    struct DIDDocument has key {
        id: DID,
        controller: vector<DID>,
        verification_methods: SimpleMap<String, VerificationMethod>,
        // relationships: names of methods
        authentication: vector<String>,
        assertion_method: vector<String>,
        capability_invocation: vector<String>,
        capability_delegation: vector<String>,
        key_agreement: vector<String>,
        services: SimpleMap<String, Service>,
        also_known_as: vector<String>,
        account_cap: AccountCap,
    }

    /// Identifiers of documents by controller.
    struct DIDRegistry has key {
        controller_to_dids: Table<String, vector<String>>,
    }

    struct DIDCreatedEvent has copy, drop, store {
        did: String,
        object_id: ObjectID,
        controller: vector<String>,
        creator_address: address,
    }

    struct VerificationMethodAddedEvent has copy, drop, store {
        did: String,
        fragment: String,
        method_type: String,
        controller: String,
        verification_relationships: vector<u8>,
    }

    struct VerificationMethodRemovedEvent has copy, drop, store {
        did: String,
        fragment: String,
        method_type: String,
    }

    struct VerificationRelationshipModifiedEvent has copy, drop, store {
        did: String,
        fragment: String,
        relationship_type: u8,
        /// `added` or `removed`.
        operation: String,
    }

    struct ServiceAddedEvent has copy, drop, store {
        did: String,
        fragment: String,
        service_type: String,
        service_endpoint: String,
        properties_count: u64,
    }

    struct ServiceUpdatedEvent has copy, drop, store {
        did: String,
        fragment: String,
        old_service_type: String,
        new_service_type: String,
        old_service_endpoint: String,
        new_service_endpoint: String,
        new_properties_count: u64,
    }

    struct ServiceRemovedEvent has copy, drop, store {
        did: String,
        fragment: String,
        service_type: String,
    }

    // ---- numbers of relationships and names of types ----

    public fun verification_relationship_authentication(): u8 { AUTHENTICATION }

    public fun verification_relationship_assertion_method(): u8 { ASSERTION_METHOD }

    public fun verification_relationship_capability_invocation(): u8 { CAPABILITY_INVOCATION }

    public fun verification_relationship_capability_delegation(): u8 { CAPABILITY_DELEGATION }

    public fun verification_relationship_key_agreement(): u8 { KEY_AGREEMENT }

    public fun verification_method_type_ed25519(): String { string::utf8(ED25519_TYPE) }

    public fun verification_method_type_secp256k1(): String { string::utf8(SECP256K1_TYPE) }

    public fun verification_method_type_secp256r1(): String { string::utf8(SECP256R1_TYPE) }

    /// Whether a signature holds for a key of a type. Unknown types and malformed text hold for nothing.
    public fun verify_signature_by_type(
        message: vector<u8>,
        signature: vector<u8>,
        public_key_multibase: &String,
        method_type: &String
    ): bool {
        let decoded = multibase_codec::decode(public_key_multibase);
        if (option::is_none(&decoded)) return false;
        let key = option::destroy_some(decoded);
        let type = string::bytes(method_type);
        if (type == &ED25519_TYPE) {
            ed25519::verify(&signature, &key, &message)
        } else if (type == &SECP256K1_TYPE) {
            ecdsa_k1::verify(&signature, &key, &message, ecdsa_k1::sha256())
        } else if (type == &SECP256R1_TYPE) {
            ecdsa_r1::verify(&signature, &key, &message)
        } else {
            false
        }
    }

    // ---- the registry ----

    /// Makes the registry.
    public(friend) fun genesis_init() {
        let exists = object::exists_object_with_type<DIDRegistry>(object::named_object_id<DIDRegistry>());
        assert!(!exists, ErrorDIDRegistryAlreadyInitialized);
        let registry = object::new_named_object(DIDRegistry { controller_to_dids: table::new() });
        object::transfer_extend(registry, @rooch_framework);
    }

    /// Makes the registry on chains that are older than it.
    public entry fun init_did_registry() {
        genesis_init();
    }

    /// Identifiers of the documents of a controller.
    public fun get_dids_by_controller(controller_did: DID): vector<String> {
        get_dids_by_controller_string(format_did(&controller_did))
    }

    /// Identifiers of the documents of a controller.
    public fun get_dids_by_controller_string(controller_did_str: String): vector<String> {
        let id = object::named_object_id<DIDRegistry>();
        if (!object::exists_object_with_type<DIDRegistry>(id)) return vector[];
        let registry = object::borrow(object::borrow_object<DIDRegistry>(id));
        *table::borrow_with_default(&registry.controller_to_dids, controller_did_str, &vector[])
    }

    fun note_controller(controller: String, did: String) {
        let id = object::named_object_id<DIDRegistry>();
        let registry = object::borrow_mut(object::borrow_mut_object_extend<DIDRegistry>(id));
        let dids = table::borrow_mut_with_default(&mut registry.controller_to_dids, controller, vector[]);
        vector::push_back(dids, did);
    }

    // ---- making documents ----

    /// Makes a document whose controller is the sender.
    public entry fun create_did_object_for_self_entry(
        creator_account_signer: &signer,
        account_public_key_multibase: String,
    ) {
        create_did_object_for_self(creator_account_signer, account_public_key_multibase);
    }

    /// Makes a document whose controller is the signer. The key must be that of the sender's Bitcoin address.
    public fun create_did_object_for_self(
        creator_account_signer: &signer,
        account_public_key_multibase: String,
    ): ObjectID {
        create_for_self(creator_account_signer, account_public_key_multibase, option::none())
    }

    /// Makes a document whose controller is the sender, with scopes for its session key unless there are none.
    public entry fun create_did_object_for_self_with_custom_scopes_entry(
        creator_account_signer: &signer,
        account_public_key_multibase: String,
        session_scope_strings: vector<String>
    ) {
        let scopes = if (vector::is_empty(&session_scope_strings)) {
            option::none()
        } else {
            option::some(session_scope_strings)
        };
        create_for_self(creator_account_signer, account_public_key_multibase, scopes);
    }

    /// Makes a document whose controller is the signer, with scopes for its session key.
    public fun create_did_object_for_self_with_custom_scopes(
        creator_account_signer: &signer,
        account_public_key_multibase: String,
        custom_session_scope_strings: Option<vector<String>>
    ): ObjectID {
        create_for_self(creator_account_signer, account_public_key_multibase, custom_session_scope_strings)
    }

    /// Makes a document for a user that is a key, by a custodian.
    public entry fun create_did_object_via_cadop_with_did_key_entry(
        custodian_signer: &signer,
        user_did_key_string: String,
        custodian_service_pk_multibase: String,
        custodian_service_vm_type: String
    ) {
        create_did_object_via_cadop_with_did_key(
            custodian_signer,
            user_did_key_string,
            custodian_service_pk_multibase,
            custodian_service_vm_type
        );
    }

    /// The same, with scopes for its session key.
    public entry fun create_did_object_via_cadop_with_did_key_and_scopes_entry(
        custodian_signer: &signer,
        user_did_key_string: String,
        custodian_service_pk_multibase: String,
        custodian_service_vm_type: String,
        custom_scope_strings: vector<String>
    ) {
        create_did_object_via_cadop_with_did_key_and_scopes(
            custodian_signer,
            user_did_key_string,
            custodian_service_pk_multibase,
            custodian_service_vm_type,
            option::some(custom_scope_strings)
        );
    }

    /// Makes a document for a user that is a key, by a custodian.
    public fun create_did_object_via_cadop_with_did_key(
        custodian_signer: &signer,
        user_did_key_string: String,
        custodian_service_pk_multibase: String,
        custodian_service_vm_type: String
    ): ObjectID {
        create_did_object_via_cadop_with_did_key_and_scopes(
            custodian_signer,
            user_did_key_string,
            custodian_service_pk_multibase,
            custodian_service_vm_type,
            option::none()
        )
    }

    /// The same, with scopes for its session key.
    public fun create_did_object_via_cadop_with_did_key_and_scopes(
        custodian_signer: &signer,
        user_did_key_string: String,
        custodian_service_pk_multibase: String,
        custodian_service_vm_type: String,
        custom_scope_strings: Option<vector<String>>
    ): ObjectID {
        create_did_object_via_cadop_with_controller_and_scopes(
            custodian_signer,
            user_did_key_string,
            option::none(),
            option::none(),
            custodian_service_pk_multibase,
            custodian_service_vm_type,
            custom_scope_strings
        )
    }

    /// Makes a document for a controller that is a key or a Bitcoin address, by a custodian.
    public entry fun create_did_object_via_cadop_with_controller_and_scopes_entry(
        custodian_signer: &signer,
        controller_did_string: String,
        user_vm_pk_multibase: String,
        user_vm_type: String,
        custodian_service_pk_multibase: String,
        custodian_service_vm_type: String,
        custom_scope_strings: vector<String>
    ) {
        create_did_object_via_cadop_with_controller_and_scopes(
            custodian_signer,
            controller_did_string,
            option::some(user_vm_pk_multibase),
            option::some(user_vm_type),
            custodian_service_pk_multibase,
            custodian_service_vm_type,
            option::some(custom_scope_strings)
        );
    }

    /// Makes a document for a controller that is a key or a Bitcoin address, by a custodian, whose own document must have
    /// a custodian service. The custodian's key may invoke capabilities.
    public fun create_did_object_via_cadop_with_controller_and_scopes(
        custodian_signer: &signer,
        controller_did_string: String,
        user_vm_pk_multibase_opt: Option<String>,
        user_vm_type_opt: Option<String>,
        custodian_service_pk_multibase: String,
        custodian_service_vm_type: String,
        custom_scope_strings: Option<vector<String>>
    ): ObjectID {
        let controller = parse_did_string(&controller_did_string);
        let (user_key, user_type) = first_method(&controller, user_vm_pk_multibase_opt, user_vm_type_opt);
        let custodian = signer::address_of(custodian_signer);
        assert!(exists_did_for_address(custodian), ErrorCustodianDIDNotFound);
        let has_service = offers_custody(get_did_document_by_address(custodian));
        assert!(has_service, ErrorCustodianDoesNotHaveCADOPService);
        let document = new_document(controller);
        let relationships =
            vector[AUTHENTICATION, CAPABILITY_DELEGATION, ASSERTION_METHOD, CAPABILITY_INVOCATION];
        add_first_method(&mut document, controller, user_key, user_type, relationships, custom_scope_strings);
        let fragment = custodian_fragment(&controller_did_string);
        let method = new_method(
            document.id,
            fragment,
            custodian_service_vm_type,
            new_rooch_did_by_address(custodian),
            custodian_service_pk_multibase
        );
        simple_map::add(&mut document.verification_methods, fragment, method);
        vector::push_back(&mut document.capability_invocation, fragment);
        store(document, controller, custodian)
    }

    fun create_for_self(creator: &signer, key_text: String, scopes: Option<vector<String>>): ObjectID {
        let creator_address = signer::address_of(creator);
        assert_key_of_sender(creator_address, &decode_key(&key_text));
        let controller = new_rooch_did_by_address(creator_address);
        let document = new_document(controller);
        let relationships =
            vector[AUTHENTICATION, ASSERTION_METHOD, CAPABILITY_INVOCATION, CAPABILITY_DELEGATION];
        let type = verification_method_type_secp256k1();
        add_first_method(&mut document, controller, key_text, type, relationships, scopes);
        store(document, controller, creator_address)
    }

    /// A document of a fresh account, without methods.
    fun new_document(controller: DID): DIDDocument {
        let account_cap = account::create_account_and_return_cap();
        DIDDocument {
            id: new_rooch_did_by_address(account::account_cap_address(&account_cap)),
            controller: vector[controller],
            verification_methods: simple_map::new(),
            authentication: vector[],
            assertion_method: vector[],
            capability_invocation: vector[],
            capability_delegation: vector[],
            key_agreement: vector[],
            services: simple_map::new(),
            also_known_as: vector[],
            account_cap,
        }
    }

    fun add_first_method(
        document: &mut DIDDocument,
        controller: DID,
        key_text: String,
        type: String,
        relationships: vector<u8>,
        scopes: Option<vector<String>>
    ) {
        let fragment = string::utf8(ACCOUNT_KEY);
        let method = new_method(document.id, fragment, type, controller, key_text);
        simple_map::add(&mut document.verification_methods, fragment, method);
        vector::for_each_ref(&relationships, |relationship| {
            relate(document, *relationship, fragment, scopes)
        });
    }

    fun store(document: DIDDocument, controller: DID, creator_address: address): ObjectID {
        let DID { method: _, identifier } = document.id;
        let did = format_did(&document.id);
        let owner = get_did_address(&document);
        let object_id = document_id(&identifier);
        assert!(!object::exists_object_with_type<DIDDocument>(object_id), ErrorDIDAlreadyExists);
        object::transfer_extend(object::new_with_id(identifier, document), owner);
        let controller_text = format_did(&controller);
        note_controller(controller_text, did);
        event::emit(DIDCreatedEvent { did, object_id, controller: vector[controller_text], creator_address });
        object_id
    }

    /// Key and type of the first method of a document with this controller.
    fun first_method(controller: &DID, key_text: Option<String>, type: Option<String>): (String, String) {
        if (string::bytes(&controller.method) == &b"key") {
            let (kind, key) = multibase_key::decode_with_type(&controller.identifier);
            let type = if (kind == multibase_key::key_type_ed25519()) {
                verification_method_type_ed25519()
            } else if (kind == multibase_key::key_type_secp256k1()) {
                verification_method_type_secp256k1()
            } else {
                verification_method_type_secp256r1()
            };
            (multibase_codec::encode_base58btc(&key), type)
        } else {
            let is_bitcoin = string::bytes(&controller.method) == &b"bitcoin";
            assert!(is_bitcoin, ErrorControllerDIDMethodNotSupported);
            assert!(option::is_some(&key_text) && option::is_some(&type), ErrorControllerMissingUserVMInfo);
            let (key_text, type) = (option::destroy_some(key_text), option::destroy_some(type));
            assert!(type == verification_method_type_secp256k1(), ErrorInvalidVMTypeForController);
            let is_owner = bitcoin_address::verify_with_public_key(&controller.identifier, &decode_key(&key_text));
            assert!(is_owner, ErrorControllerBitcoinAddressMismatch);
            (key_text, type)
        }
    }

    fun assert_key_of_sender(sender: address, key: &vector<u8>) {
        let known = auth_validator::get_bitcoin_address_from_ctx_option();
        assert!(option::is_some(&known), ErrorDIDKeyControllerPublicKeyMismatch);
        let address = option::destroy_some(known);
        let is_owner = bitcoin_address::verify_bitcoin_address_with_public_key(&address, key)
            && bitcoin_address::to_rooch_address(&address) == sender;
        assert!(is_owner, ErrorDIDKeyControllerPublicKeyMismatch);
    }

    fun offers_custody(document: &DIDDocument): bool {
        let services = simple_map::values(&document.services);
        vector::any(&services, |service| {
            let service: &Service = service;
            string::bytes(&service.type) == &CUSTODIAN_SERVICE_TYPE
        })
    }

    /// A name for the custodian's method that ends as the controller's identifier does.
    fun custodian_fragment(controller: &String): String {
        let text = string::bytes(controller);
        let end = vector::length(text);
        let fragment = string::utf8(b"custodian-service-");
        string::append_utf8(&mut fragment, vector::slice(text, if (end > 8) end - 8 else 0, end));
        fragment
    }

    // ---- methods ----

    /// Adds a method to the sender's document.
    public entry fun add_verification_method_entry(
        did_signer: &signer,
        fragment: String,
        method_type: String,
        public_key_multibase: String,
        verification_relationships: vector<u8>
    ) {
        assert_fragment(&fragment);
        add_method(
            did_signer,
            fragment,
            method_type,
            public_key_multibase,
            verification_relationships,
            option::none()
        );
    }

    /// Adds a method to the sender's document, with scopes for its session key.
    public entry fun add_verification_method_with_scopes_entry(
        did_signer: &signer,
        fragment: String,
        method_type: String,
        public_key_multibase: String,
        verification_relationships: vector<u8>,
        custom_session_scope: vector<String>
    ) {
        add_method(
            did_signer,
            fragment,
            method_type,
            public_key_multibase,
            verification_relationships,
            option::some(custom_session_scope)
        );
    }

    /// Takes a method out of the sender's document, and its session key back.
    public entry fun remove_verification_method_entry(did_signer: &signer, fragment: String) {
        assert_fragment(&fragment);
        let document = borrow_mut_for(did_signer, CAPABILITY_DELEGATION);
        assert_has_method(document, &fragment);
        let (_, method) = simple_map::remove(&mut document.verification_methods, &fragment);
        if (vector::contains(&document.authentication, &fragment)) {
            let key = decode_key(&method.public_key_multibase);
            assert_can_sign(&method.type);
            session_key::remove_session_key(did_signer, key_hash(&method.type, &key));
        };
        vector::remove_value(&mut document.authentication, &fragment);
        vector::remove_value(&mut document.assertion_method, &fragment);
        vector::remove_value(&mut document.capability_invocation, &fragment);
        vector::remove_value(&mut document.capability_delegation, &fragment);
        vector::remove_value(&mut document.key_agreement, &fragment);
        let did = format_did(&document.id);
        event::emit_with_handle(
            event_handle<VerificationMethodRemovedEvent>(document),
            VerificationMethodRemovedEvent { did, fragment, method_type: method.type }
        );
    }

    /// Puts a method of the sender's document into a relationship.
    public entry fun add_to_verification_relationship_entry(
        did_signer: &signer,
        fragment: String,
        relationship_type: u8
    ) {
        add_to_relationship(did_signer, fragment, relationship_type, option::none());
    }

    /// Puts a method of the sender's document into a relationship, with scopes for its session key.
    public entry fun add_to_verification_relationship_with_scope_entry(
        did_signer: &signer,
        fragment: String,
        relationship_type: u8,
        custom_session_scope: vector<String>
    ) {
        add_to_relationship(did_signer, fragment, relationship_type, option::some(custom_session_scope));
    }

    /// Takes a method of the sender's document out of a relationship, if it is there. Its session key stays.
    public entry fun remove_from_verification_relationship_entry(
        did_signer: &signer,
        fragment: String,
        relationship_type: u8
    ) {
        let document = borrow_mut_for(did_signer, CAPABILITY_DELEGATION);
        assert!(relationship_type <= KEY_AGREEMENT, ErrorInvalidVerificationRelationship);
        let removed = vector::remove_value(relationship_mut(document, relationship_type), &fragment);
        if (!vector::is_empty(&removed)) emit_modified(document, fragment, relationship_type, b"removed");
    }

    fun add_method(
        did_signer: &signer,
        fragment: String,
        method_type: String,
        key_text: String,
        verification_relationships: vector<u8>,
        scopes: Option<vector<String>>
    ) {
        let document = borrow_mut_for(did_signer, CAPABILITY_DELEGATION);
        let exists = simple_map::contains_key(&document.verification_methods, &fragment);
        assert!(!exists, ErrorVerificationMethodAlreadyExists);
        let count = simple_map::length(&document.verification_methods);
        assert!(count < METHODS_MAX, ErrorTooManyVerificationMethods);
        let method = new_method(document.id, fragment, method_type, document.id, key_text);
        simple_map::add(&mut document.verification_methods, fragment, method);
        vector::for_each_ref(&verification_relationships, |relationship| {
            // numbers of no relationship are passed over
            if (*relationship <= KEY_AGREEMENT) relate(document, *relationship, fragment, scopes)
        });
        let did = format_did(&document.id);
        event::emit_with_handle(
            event_handle<VerificationMethodAddedEvent>(document),
            VerificationMethodAddedEvent { did, fragment, method_type, controller: did, verification_relationships }
        );
    }

    fun add_to_relationship(
        did_signer: &signer,
        fragment: String,
        relationship: u8,
        scopes: Option<vector<String>>
    ) {
        let document = borrow_mut_for(did_signer, CAPABILITY_DELEGATION);
        assert_has_method(document, &fragment);
        assert!(relationship <= KEY_AGREEMENT, ErrorInvalidVerificationRelationship);
        relate(document, relationship, fragment, scopes);
        emit_modified(document, fragment, relationship, b"added");
    }

    /// Puts a method that the document has into a relationship, unless it is there; authentication lends the account's
    /// session key to it.
    fun relate(document: &mut DIDDocument, relationship: u8, fragment: String, scopes: Option<vector<String>>) {
        let method = *simple_map::borrow(&document.verification_methods, &fragment);
        if (relationship == AUTHENTICATION) assert_can_sign(&method.type);
        let names = relationship_mut(document, relationship);
        if (vector::contains(names, &fragment)) return;
        assert!(vector::length(names) < RELATIONSHIP_METHODS_MAX, ErrorTooManyRelationshipMethods);
        vector::push_back(names, fragment);
        if (relationship == AUTHENTICATION) lend_session_key(document, &method, scopes);
    }

    fun lend_session_key(document: &mut DIDDocument, method: &VerificationMethod, scopes: Option<vector<String>>) {
        // the key is read before the scopes, so its error comes first
        let key = decode_key(&method.public_key_multibase);
        let account = account::create_signer_with_account_cap(&mut document.account_cap);
        let app_name = string::utf8(b"did_authentication_key:");
        string::append(&mut app_name, method.id.fragment);
        let session_scopes = if (option::is_some(&scopes)) {
            vector::map(option::destroy_some(scopes), |text| session_key::parse_scope_string(text))
        } else {
            default_scopes(signer::address_of(&account))
        };
        session_key::create_session_key_internal(
            &account,
            app_name,
            format_did(&document.id),
            key_hash(&method.type, &key),
            session_scopes,
            session_key::max_inactive_interval()
        );
    }

    /// This module, payment channels, and whatever the account itself publishes.
    fun default_scopes(account: address): vector<SessionScope> {
        let any = string::utf8(b"*");
        vector[
            session_key::new_session_scope(@rooch_framework, string::utf8(b"did"), any),
            session_key::new_session_scope(@rooch_framework, string::utf8(b"payment_channel"), any),
            session_key::new_session_scope(account, any, any),
        ]
    }

    fun new_method(did: DID, fragment: String, type: String, controller: DID, key_text: String): VerificationMethod {
        VerificationMethod {
            id: VerificationMethodID { did, fragment },
            type,
            controller,
            public_key_multibase: key_text,
        }
    }

    fun authentication_key(method: &VerificationMethod): vector<u8> {
        key_hash(&method.type, &decode_key(&method.public_key_multibase))
    }

    /// What stands for a key of this type among the session keys.
    fun key_hash(method_type: &String, key: &vector<u8>): vector<u8> {
        let type = string::bytes(method_type);
        if (type == &ED25519_TYPE) {
            session_key::ed25519_public_key_to_authentication_key(key)
        } else if (type == &SECP256K1_TYPE) {
            session_key::secp256k1_public_key_to_authentication_key(key)
        } else {
            session_key::secp256r1_public_key_to_authentication_key(key)
        }
    }

    fun assert_can_sign(method_type: &String) {
        let type = string::bytes(method_type);
        let can_sign = type == &ED25519_TYPE || type == &SECP256K1_TYPE || type == &SECP256R1_TYPE;
        assert!(can_sign, ErrorUnsupportedAuthKeyTypeForSessionKey);
    }

    fun assert_has_method(document: &DIDDocument, fragment: &String) {
        let exists = simple_map::contains_key(&document.verification_methods, fragment);
        assert!(exists, ErrorVerificationMethodNotFound);
    }

    fun decode_key(text: &String): vector<u8> {
        let key = multibase_codec::decode(text);
        assert!(option::is_some(&key), ErrorInvalidPublicKeyMultibaseFormat);
        option::destroy_some(key)
    }

    fun emit_modified(document: &DIDDocument, fragment: String, relationship_type: u8, operation: vector<u8>) {
        event::emit_with_handle(
            event_handle<VerificationRelationshipModifiedEvent>(document),
            VerificationRelationshipModifiedEvent {
                did: format_did(&document.id),
                fragment,
                relationship_type,
                operation: string::utf8(operation),
            }
        );
    }

    // ---- services ----

    /// Adds a service to the sender's document.
    public entry fun add_service_entry(
        did_signer: &signer,
        fragment: String,
        service_type: String,
        service_endpoint: String
    ) {
        add_service_with_properties_entry(did_signer, fragment, service_type, service_endpoint, vector[], vector[]);
    }

    /// Adds a service with properties to the sender's document.
    public entry fun add_service_with_properties_entry(
        did_signer: &signer,
        fragment: String,
        service_type: String,
        service_endpoint: String,
        property_keys: vector<String>,
        property_values: vector<String>
    ) {
        assert_service_texts(&fragment, &service_type, &service_endpoint);
        let properties = properties_of(property_keys, property_values);
        let document = borrow_mut_for(did_signer, CAPABILITY_INVOCATION);
        let properties_count = simple_map::length(&properties);
        assert!(properties_count <= PROPERTIES_MAX, ErrorTooManyServiceProperties);
        assert!(simple_map::length(&document.services) < SERVICES_MAX, ErrorTooManyServices);
        assert!(!simple_map::contains_key(&document.services, &fragment), ErrorServiceAlreadyExists);
        let id = ServiceID { did: document.id, fragment };
        let service = Service { id, type: service_type, service_endpoint, properties };
        simple_map::add(&mut document.services, fragment, service);
        let did = format_did(&document.id);
        event::emit_with_handle(
            event_handle<ServiceAddedEvent>(document),
            ServiceAddedEvent { did, fragment, service_type, service_endpoint, properties_count }
        );
    }

    /// Replaces a service of the sender's document.
    public entry fun update_service_entry(
        did_signer: &signer,
        fragment: String,
        new_service_type: String,
        new_service_endpoint: String,
        new_property_keys: vector<String>,
        new_property_values: vector<String>
    ) {
        assert_service_texts(&fragment, &new_service_type, &new_service_endpoint);
        let properties = properties_of(new_property_keys, new_property_values);
        let new_properties_count = simple_map::length(&properties);
        let document = borrow_mut_for(did_signer, CAPABILITY_INVOCATION);
        assert!(simple_map::contains_key(&document.services, &fragment), ErrorServiceNotFound);
        let service = simple_map::borrow_mut(&mut document.services, &fragment);
        let old_service_type = service.type;
        let old_service_endpoint = service.service_endpoint;
        service.type = new_service_type;
        service.service_endpoint = new_service_endpoint;
        service.properties = properties;
        let did = format_did(&document.id);
        event::emit_with_handle(event_handle<ServiceUpdatedEvent>(document), ServiceUpdatedEvent {
            did,
            fragment,
            old_service_type,
            new_service_type,
            old_service_endpoint,
            new_service_endpoint,
            new_properties_count,
        });
    }

    /// Takes a service out of the sender's document.
    public entry fun remove_service_entry(did_signer: &signer, fragment: String) {
        assert_fragment(&fragment);
        let document = borrow_mut_for(did_signer, CAPABILITY_INVOCATION);
        assert!(simple_map::contains_key(&document.services, &fragment), ErrorServiceNotFound);
        let (_, service) = simple_map::remove(&mut document.services, &fragment);
        let did = format_did(&document.id);
        event::emit_with_handle(
            event_handle<ServiceRemovedEvent>(document),
            ServiceRemovedEvent { did, fragment, service_type: service.type }
        );
    }

    fun properties_of(keys: vector<String>, values: vector<String>): SimpleMap<String, String> {
        assert!(vector::length(&keys) == vector::length(&values), ErrorPropertyKeysValuesLengthMismatch);
        let properties = simple_map::new();
        vector::zip_ref(&keys, &values, |key, value| {
            assert_text(key);
            assert_text(value);
            simple_map::add(&mut properties, *key, *value)
        });
        properties
    }

    fun assert_service_texts(fragment: &String, type: &String, endpoint: &String) {
        assert_fragment(fragment);
        assert_text(type);
        assert_text(endpoint);
    }

    fun assert_fragment(fragment: &String) {
        assert!(string::length(fragment) <= FRAGMENT_LENGTH_MAX, ErrorFragmentTooLong);
    }

    fun assert_text(text: &String) {
        assert!(string::length(text) <= TEXT_LENGTH_MAX, ErrorStringTooLong);
    }

    // ---- who may change a document ----

    /// The document of the signer's account, for change, where a method in this relationship signed the transaction.
    fun borrow_mut_for(did_signer: &signer, relationship: u8): &mut DIDDocument {
        let account = signer::address_of(did_signer);
        let id = document_id_of(account);
        assert!(object::exists_object_with_type<DIDDocument>(id), ErrorDIDObjectNotFound);
        let document = object::borrow_mut(object::borrow_mut_object_extend<DIDDocument>(id));
        assert!(get_did_address(document) == account, ErrorSignerNotDIDAccount);
        let method = signing_method(document);
        assert!(option::is_some(&method), ErrorSessionKeyNotFound);
        let is_allowed = vector::contains(relationship_ref(document, relationship), option::borrow(&method));
        assert!(is_allowed, ErrorInsufficientPermission);
        document
    }

    fun signing_method(document: &DIDDocument): Option<String> {
        let method = auth_validator::get_did_vm_fragment_from_ctx_option();
        if (option::is_some(&method)) return method;
        let key = auth_validator::get_session_key_from_ctx_option();
        if (option::is_none(&key)) return option::none();
        find_verification_method_by_session_key(document, option::borrow(&key))
    }

    /// The method for authentication whose session key this is, if any.
    public fun find_verification_method_by_session_key(
        did_document_data: &DIDDocument,
        session_key: &vector<u8>
    ): Option<String> {
        let names = &did_document_data.authentication;
        let (found, index) = vector::find(names, |name| {
            simple_map::contains_key(&did_document_data.verification_methods, name)
                && &authentication_key(simple_map::borrow(&did_document_data.verification_methods, name)) == session_key
        });
        if (found) option::some(*vector::borrow(names, index)) else option::none()
    }

    // ---- reading documents ----

    /// Whether there is a document with this identifier.
    public fun exists_did_document_by_identifier(identifier_str: String): bool {
        object::exists_object_with_type<DIDDocument>(document_id(&identifier_str))
    }

    /// Whether an account has a document.
    public fun exists_did_for_address(addr: address): bool {
        object::exists_object_with_type<DIDDocument>(document_id_of(addr))
    }

    /// The document with this identifier; aborts without it.
    public fun get_did_document(did_str: String): &DIDDocument {
        get_did_document_by_object_id(document_id(&parse_did_string(&did_str).identifier))
    }

    /// The document of an account; aborts without it.
    public fun get_did_document_by_address(addr: address): &DIDDocument {
        get_did_document_by_object_id(document_id_of(addr))
    }

    /// The document with this id; aborts without it.
    public fun get_did_document_by_object_id(object_id: ObjectID): &DIDDocument {
        assert!(object::exists_object_with_type<DIDDocument>(object_id), ErrorDIDDocumentNotExist);
        object::borrow(object::borrow_object<DIDDocument>(object_id))
    }

    /// When a document was made, in milliseconds.
    public fun get_created_timestamp_by_object_id(object_id: ObjectID): u64 {
        object::created_at(object_id)
    }

    /// When a document last changed, in milliseconds.
    public fun get_updated_timestamp_by_object_id(object_id: ObjectID): u64 {
        object::updated_at(object_id)
    }

    /// The address of a document's account.
    public fun get_did_address(did_doc: &DIDDocument): address {
        account::account_cap_address(&did_doc.account_cap)
    }

    /// Whether a document has a method in a relationship.
    public fun has_verification_relationship_in_doc(
        did_document_data: &DIDDocument,
        fragment: &String,
        relationship_type: u8
    ): bool {
        is_verification_method_valid_in_doc(did_document_data, fragment)
            && relationship_type <= KEY_AGREEMENT
            && vector::contains(relationship_ref(did_document_data, relationship_type), fragment)
    }

    /// Whether a document has a method.
    public fun is_verification_method_valid_in_doc(did_document_data: &DIDDocument, fragment: &String): bool {
        simple_map::contains_key(&did_document_data.verification_methods, fragment)
    }

    public fun doc_id(did_doc: &DIDDocument): &DID { &did_doc.id }

    public fun doc_controllers(did_doc: &DIDDocument): &vector<DID> { &did_doc.controller }

    public fun doc_verification_methods(did_doc: &DIDDocument): &SimpleMap<String, VerificationMethod> {
        &did_doc.verification_methods
    }

    public fun doc_verification_method(did_doc: &DIDDocument, fragment: &String): Option<VerificationMethod> {
        let methods = &did_doc.verification_methods;
        if (simple_map::contains_key(methods, fragment)) {
            option::some(*simple_map::borrow(methods, fragment))
        } else {
            option::none()
        }
    }

    public fun verification_method_id(vm: &VerificationMethod): &VerificationMethodID { &vm.id }

    public fun verification_method_type(vm: &VerificationMethod): &String { &vm.type }

    public fun verification_method_controller(vm: &VerificationMethod): &DID { &vm.controller }

    public fun verification_method_public_key_multibase(vm: &VerificationMethod): &String {
        &vm.public_key_multibase
    }

    public fun doc_authentication_methods(did_doc: &DIDDocument): &vector<String> { &did_doc.authentication }

    public fun doc_assertion_methods(did_doc: &DIDDocument): &vector<String> { &did_doc.assertion_method }

    public fun doc_capability_invocation_methods(did_doc: &DIDDocument): &vector<String> {
        &did_doc.capability_invocation
    }

    public fun doc_capability_delegation_methods(did_doc: &DIDDocument): &vector<String> {
        &did_doc.capability_delegation
    }

    public fun doc_key_agreement_methods(did_doc: &DIDDocument): &vector<String> { &did_doc.key_agreement }

    public fun doc_services(did_doc: &DIDDocument): &SimpleMap<String, Service> { &did_doc.services }

    public fun doc_service(did_doc: &DIDDocument, fragment: &String): Option<Service> {
        let services = &did_doc.services;
        if (simple_map::contains_key(services, fragment)) {
            option::some(*simple_map::borrow(services, fragment))
        } else {
            option::none()
        }
    }

    public fun service_id(service: &Service): &ServiceID { &service.id }

    public fun service_type(service: &Service): &String { &service.type }

    public fun service_endpoint(service: &Service): &String { &service.service_endpoint }

    public fun service_properties(service: &Service): &SimpleMap<String, String> { &service.properties }

    public fun doc_also_known_as(did_doc: &DIDDocument): &vector<String> { &did_doc.also_known_as }

    // ---- identifiers ----

    /// `did:method:identifier`.
    public fun format_did(did: &DID): String {
        let text = string::utf8(b"did:");
        string::append(&mut text, did.method);
        string::append_utf8(&mut text, b":");
        string::append(&mut text, did.identifier);
        text
    }

    /// The document's identifier, `#` and the method's name.
    public fun format_verification_method_id(id: &VerificationMethodID): String {
        with_fragment(&id.did, id.fragment)
    }

    /// The document's identifier, `#` and the service's name.
    public fun format_service_id(id: &ServiceID): String {
        with_fragment(&id.did, id.fragment)
    }

    /// An identifier of its parts.
    public fun new_did_from_parts(method: String, identifier: String): DID {
        DID { method, identifier }
    }

    /// The identifier of an account of this chain.
    public fun new_rooch_did_by_address(addr: address): DID {
        DID { method: string::utf8(b"rooch"), identifier: address::to_bech32_string(addr) }
    }

    /// Reads `did:method:identifier`; the last part may have colons.
    public fun parse_did_string(did_string: &String): DID {
        let colon = string::utf8(b":");
        let scheme_end = string::index_of(did_string, &colon);
        let end = string::length(did_string);
        assert!(scheme_end < end, ErrorInvalidDIDStringFormat);
        let rest = string::sub_string(did_string, scheme_end + 1, end);
        let method_end = string::index_of(&rest, &colon);
        let rest_end = string::length(&rest);
        // both parts must have characters
        assert!(method_end > 0 && method_end + 1 < rest_end, ErrorInvalidDIDStringFormat);
        assert!(string::sub_string(did_string, 0, scheme_end) == string::utf8(b"did"), ErrorInvalidDIDStringFormat);
        DID {
            method: string::sub_string(&rest, 0, method_end),
            identifier: string::sub_string(&rest, method_end + 1, rest_end),
        }
    }

    /// The last part.
    public fun get_did_identifier_string(did: &DID): String {
        did.identifier
    }

    /// The middle part.
    public fun get_did_method(did: &DID): String {
        did.method
    }

    fun with_fragment(did: &DID, fragment: String): String {
        let text = format_did(did);
        string::append_utf8(&mut text, b"#");
        string::append(&mut text, fragment);
        text
    }

    fun document_id(identifier: &String): ObjectID {
        object::custom_object_id<String, DIDDocument>(*identifier)
    }

    fun document_id_of(account: address): ObjectID {
        document_id(&address::to_bech32_string(account))
    }

    fun event_handle<T>(document: &DIDDocument): ObjectID {
        event::custom_event_handle_id<ObjectID, T>(document_id(&document.id.identifier))
    }

    fun relationship_ref(document: &DIDDocument, relationship: u8): &vector<String> {
        if (relationship == AUTHENTICATION) &document.authentication
        else if (relationship == ASSERTION_METHOD) &document.assertion_method
        else if (relationship == CAPABILITY_INVOCATION) &document.capability_invocation
        else if (relationship == CAPABILITY_DELEGATION) &document.capability_delegation
        else &document.key_agreement
    }

    fun relationship_mut(document: &mut DIDDocument, relationship: u8): &mut vector<String> {
        if (relationship == AUTHENTICATION) &mut document.authentication
        else if (relationship == ASSERTION_METHOD) &mut document.assertion_method
        else if (relationship == CAPABILITY_INVOCATION) &mut document.capability_invocation
        else if (relationship == CAPABILITY_DELEGATION) &mut document.capability_delegation
        else &mut document.key_agreement
    }

    // ---- for tests alone ----

    #[test_only]
    /// Whether a document has a method of this name.
    public fun test_verification_method_exists(did_document_data: &DIDDocument, fragment: &String): bool {
        simple_map::contains_key(&did_document_data.verification_methods, fragment)
    }

    #[test_only]
    /// Whether a document has a service of this name.
    public fun test_service_exists(did_document_data: &DIDDocument, fragment: &String): bool {
        simple_map::contains_key(&did_document_data.services, fragment)
    }
}
