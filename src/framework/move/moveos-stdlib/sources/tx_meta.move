module moveos_std::tx_meta {
    struct FunctionCallMeta has copy, drop, store {
        module_address: address,
        module_name: std::string::String,
        function_name: std::string::String,
    }

    struct TxMeta has copy, drop, store {
        action_type: u8,
        function_meta: std::option::Option<FunctionCallMeta>,
    }
}
