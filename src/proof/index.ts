/**
 * The door `movelet/proof`: proofs of objects, fields, transactions and events, verified without a chain.
 *
 * It loads hashes and codecs, nothing of an engine: one file for those who only check. `engine.prove`, `engine.proofs` and
 * `chain_getProof` make what is verified here.
 *
 * ```ts
 * import { proofOfJson, verifyStateProof } from 'movelet/proof';
 *
 * const proof = proofOfJson(answer.proof);             // of chain_getProof; decodeProof(bytes) reads the bytes form
 * if (proof.kind === 'state') verifyStateProof(proof, stateRootThatITrust);
 * ```
 * @module
 */
export { EngineError } from '../error.ts';
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
