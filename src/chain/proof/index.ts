/**
 * The entry point `movelet/proof`: proofs of objects, fields, transactions and events, verified without a chain.
 *
 * It loads hashes and codecs but no part of an engine: a single file for programs that only verify. `engine.prove`,
 * `engine.proofs` and `chain_getProof` make the proofs that are verified here.
 *
 * ```ts
 * import { proofOfJson, verifyStateProof } from 'movelet/proof';
 *
 * const proof = proofOfJson(answer.proof);             // from chain_getProof; decodeProof(bytes) reads the bytes form
 * if (proof.kind === 'state') verifyStateProof(proof, stateRootThatITrust);
 * ```
 * @module
 */
export { EngineError } from '../../base/error.ts';
export {
  type EventProof,
  type ProvenEvent,
  type TrustedEvents,
  verifyEventProof,
} from './event-proof.ts';
export { type ChainProof, decodeProof, encodeProof, proofOfJson } from './form.ts';
export { type ProvenState, type StateProof, type StateProofStep, verifyStateProof } from './state-proof.ts';
export {
  type ProvenTransaction,
  type TransactionKind,
  type TransactionProof,
  type TrustedAccumulator,
  verifyTransactionProof,
} from './transaction-proof.ts';
