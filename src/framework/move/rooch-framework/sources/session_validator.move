module rooch_framework::session_validator {
    struct SessionValidator has drop, store {}
}
