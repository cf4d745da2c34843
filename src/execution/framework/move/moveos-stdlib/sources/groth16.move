/// Groth16 proofs. The natives abort with 0 for an unknown curve, 1 for a malformed verifying key, 2 for too many inputs.
module moveos_std::groth16 {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const E_INVALID_CURVE: u64 = 0;
    #[test_only] const E_INVALID_VERIFYING_KEY: u64 = 1;
    #[test_only] const E_TOO_MANY_PUBLIC_INPUTS: u64 = 2;

    /// A pairing-friendly curve.
    struct Curve has copy, drop, store {
        id: u8,
    }

    /// A verifying key with its constant pairings computed.
    struct PreparedVerifyingKey has copy, drop, store {
        vk_gamma_abc_g1_bytes: vector<u8>,
        alpha_g1_beta_g2_bytes: vector<u8>,
        gamma_g2_neg_pc_bytes: vector<u8>,
        delta_g2_neg_pc_bytes: vector<u8>,
    }

    /// Public inputs: field elements, one after the other.
    struct PublicProofInputs has copy, drop, store {
        bytes: vector<u8>,
    }

    /// A proof: three points, one after the other.
    struct ProofPoints has copy, drop, store {
        bytes: vector<u8>,
    }

    /// BLS12-381.
    public fun bls12381(): Curve { Curve { id: 0 } }

    /// BN254.
    public fun bn254(): Curve { Curve { id: 1 } }

    /// A prepared key from its parts.
    public fun pvk_from_bytes(
        vk_gamma_abc_g1_bytes: vector<u8>,
        alpha_g1_beta_g2_bytes: vector<u8>,
        gamma_g2_neg_pc_bytes: vector<u8>,
        delta_g2_neg_pc_bytes: vector<u8>
    ): PreparedVerifyingKey {
        PreparedVerifyingKey {
            vk_gamma_abc_g1_bytes,
            alpha_g1_beta_g2_bytes,
            gamma_g2_neg_pc_bytes,
            delta_g2_neg_pc_bytes,
        }
    }

    /// The parts of a prepared key.
    public fun pvk_to_bytes(pvk: PreparedVerifyingKey): vector<vector<u8>> {
        let PreparedVerifyingKey {
            vk_gamma_abc_g1_bytes,
            alpha_g1_beta_g2_bytes,
            gamma_g2_neg_pc_bytes,
            delta_g2_neg_pc_bytes,
        } = pvk;
        vector[vk_gamma_abc_g1_bytes, alpha_g1_beta_g2_bytes, gamma_g2_neg_pc_bytes, delta_g2_neg_pc_bytes]
    }

    /// Inputs from their bytes.
    public fun public_proof_inputs_from_bytes(bytes: vector<u8>): PublicProofInputs {
        PublicProofInputs { bytes }
    }

    /// A proof from its bytes.
    public fun proof_points_from_bytes(bytes: vector<u8>): ProofPoints {
        ProofPoints { bytes }
    }

    /// Computes the constant pairings of a verifying key.
    public fun prepare_verifying_key(curve: &Curve, verifying_key: &vector<u8>): PreparedVerifyingKey {
        prepare_verifying_key_internal(curve.id, verifying_key)
    }

    /// Whether a proof holds for these inputs.
    public fun verify_groth16_proof(
        curve: &Curve,
        prepared_verifying_key: &PreparedVerifyingKey,
        public_proof_inputs: &PublicProofInputs,
        proof_points: &ProofPoints
    ): bool {
        verify_groth16_proof_internal(
            curve.id,
            &prepared_verifying_key.vk_gamma_abc_g1_bytes,
            &prepared_verifying_key.alpha_g1_beta_g2_bytes,
            &prepared_verifying_key.gamma_g2_neg_pc_bytes,
            &prepared_verifying_key.delta_g2_neg_pc_bytes,
            &public_proof_inputs.bytes,
            &proof_points.bytes
        )
    }

    native fun prepare_verifying_key_internal(curve: u8, verifying_key: &vector<u8>): PreparedVerifyingKey;

    native fun verify_groth16_proof_internal(
        curve: u8,
        vk_gamma_abc_g1_bytes: &vector<u8>,
        alpha_g1_beta_g2_bytes: &vector<u8>,
        gamma_g2_neg_pc_bytes: &vector<u8>,
        delta_g2_neg_pc_bytes: &vector<u8>,
        public_proof_inputs: &vector<u8>,
        proof_points: &vector<u8>
    ): bool;
}
