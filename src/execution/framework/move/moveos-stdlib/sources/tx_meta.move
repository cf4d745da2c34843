/// What a transaction asks for.
module moveos_std::tx_meta {
    use std::option::Option;
    use std::string::String;

    const SCRIPT: u8 = 0;
    const FUNCTION: u8 = 1;
    const MODULE_BUNDLE: u8 = 2;

    struct TxMeta has copy, drop, store {
        action_type: u8,
        /// There for function calls only.
        function_meta: Option<FunctionCallMeta>,
    }

    struct FunctionCallMeta has copy, drop, store {
        module_address: address,
        module_name: String,
        function_name: String,
    }

    /// Action type of a script.
    public fun move_action_script_type(): u8 { SCRIPT }

    /// Action type of a function call.
    public fun move_action_function_type(): u8 { FUNCTION }

    /// Action type of a bundle of modules.
    public fun move_action_module_bundle_type(): u8 { MODULE_BUNDLE }

    /// The action type.
    public fun action_type(self: &TxMeta): u8 {
        self.action_type
    }

    /// Whether a script runs.
    public fun is_script_call(self: &TxMeta): bool {
        self.action_type == SCRIPT
    }

    /// Whether a function is called.
    public fun is_function_call(self: &TxMeta): bool {
        self.action_type == FUNCTION
    }

    /// Whether a bundle of modules is published.
    public fun is_module_publish(self: &TxMeta): bool {
        self.action_type == MODULE_BUNDLE
    }

    /// Which function is called, if any.
    public fun function_meta(self: &TxMeta): Option<FunctionCallMeta> {
        self.function_meta
    }

    /// Address of the called function's module.
    public fun function_meta_module_address(function_meta: &FunctionCallMeta): &address {
        &function_meta.module_address
    }

    /// Name of the called function's module.
    public fun function_meta_module_name(function_meta: &FunctionCallMeta): &String {
        &function_meta.module_name
    }

    /// Name of the called function.
    public fun function_meta_function_name(function_meta: &FunctionCallMeta): &String {
        &function_meta.function_name
    }

    // ---- for tests alone ----

    #[test_only]
    /// Which function is called.
    public fun new_function_call_meta(
        module_address: address,
        module_name: String,
        function_name: String,
    ): FunctionCallMeta {
        FunctionCallMeta { module_address, module_name, function_name }
    }
}
