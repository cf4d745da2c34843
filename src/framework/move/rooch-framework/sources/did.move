module rooch_framework::did {
    struct DID has copy, drop, store {
        method: std::string::String,
        identifier: std::string::String,
    }

    struct DIDCreatedEvent has copy, drop, store {
        did: std::string::String,
        object_id: moveos_std::object::ObjectID,
        controller: vector<std::string::String>,
        creator_address: address,
    }

    struct DIDDocument has key {
        id: DID,
        controller: vector<DID>,
        verification_methods: moveos_std::simple_map::SimpleMap<std::string::String, VerificationMethod>,
        authentication: vector<std::string::String>,
        assertion_method: vector<std::string::String>,
        capability_invocation: vector<std::string::String>,
        capability_delegation: vector<std::string::String>,
        key_agreement: vector<std::string::String>,
        services: moveos_std::simple_map::SimpleMap<std::string::String, Service>,
        also_known_as: vector<std::string::String>,
        account_cap: moveos_std::account::AccountCap,
    }

    struct DIDRegistry has key {
        controller_to_dids: moveos_std::table::Table<std::string::String, vector<std::string::String>>,
    }

    struct Service has copy, drop, store {
        id: ServiceID,
        type: std::string::String,
        service_endpoint: std::string::String,
        properties: moveos_std::simple_map::SimpleMap<std::string::String, std::string::String>,
    }

    struct ServiceAddedEvent has copy, drop, store {
        did: std::string::String,
        fragment: std::string::String,
        service_type: std::string::String,
        service_endpoint: std::string::String,
        properties_count: u64,
    }

    struct ServiceID has copy, drop, store {
        did: DID,
        fragment: std::string::String,
    }

    struct ServiceRemovedEvent has copy, drop, store {
        did: std::string::String,
        fragment: std::string::String,
        service_type: std::string::String,
    }

    struct ServiceUpdatedEvent has copy, drop, store {
        did: std::string::String,
        fragment: std::string::String,
        old_service_type: std::string::String,
        new_service_type: std::string::String,
        old_service_endpoint: std::string::String,
        new_service_endpoint: std::string::String,
        new_properties_count: u64,
    }

    struct VerificationMethod has copy, drop, store {
        id: VerificationMethodID,
        type: std::string::String,
        controller: DID,
        public_key_multibase: std::string::String,
    }

    struct VerificationMethodAddedEvent has copy, drop, store {
        did: std::string::String,
        fragment: std::string::String,
        method_type: std::string::String,
        controller: std::string::String,
        verification_relationships: vector<u8>,
    }

    struct VerificationMethodID has copy, drop, store {
        did: DID,
        fragment: std::string::String,
    }

    struct VerificationMethodRemovedEvent has copy, drop, store {
        did: std::string::String,
        fragment: std::string::String,
        method_type: std::string::String,
    }

    struct VerificationRelationshipModifiedEvent has copy, drop, store {
        did: std::string::String,
        fragment: std::string::String,
        relationship_type: u8,
        operation: std::string::String,
    }
}
