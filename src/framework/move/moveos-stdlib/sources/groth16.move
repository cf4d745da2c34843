module moveos_std::groth16 {
    struct Curve has copy, drop, store {
        id: u8,
    }

    struct PreparedVerifyingKey has copy, drop, store {
        vk_gamma_abc_g1_bytes: vector<u8>,
        alpha_g1_beta_g2_bytes: vector<u8>,
        gamma_g2_neg_pc_bytes: vector<u8>,
        delta_g2_neg_pc_bytes: vector<u8>,
    }

    struct ProofPoints has copy, drop, store {
        bytes: vector<u8>,
    }

    struct PublicProofInputs has copy, drop, store {
        bytes: vector<u8>,
    }

    native fun prepare_verifying_key_internal(a0: u8, a1: &vector<u8>): PreparedVerifyingKey;

    native fun verify_groth16_proof_internal(a0: u8, a1: &vector<u8>, a2: &vector<u8>, a3: &vector<u8>, a4: &vector<u8>, a5: &vector<u8>, a6: &vector<u8>): bool;
}
