/** What is proven ahead of a turn is what the chain's own validators find in it, for sound and damaged payloads. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { equalBytes, fromHex } from '../../src/base/bytes/bytes.ts';
import { addressOfPublicKeyHash, addressOfTaproot } from '../../src/bitcoin/address-derivation.ts';
import { bitcoinSigner, type Signer, sessionSigner } from '../../src/chain/signature/signer.ts';
import { type VerifiedSigner, verifyAuthenticator } from '../../src/chain/signature/verify.ts';
import { SESSION_SCHEMES } from '../../src/chain/transaction/auth-payload.ts';
import { parseAddress } from '../../src/move/address.ts';
import { validateSigned } from '../../src/pipeline/validate.ts';
import { type SignedTransaction, signedTransaction, transactionHash } from '../../src/query/transaction-builder.ts';
import { addressOfWitnessPublicKeyHash } from '../bitcoin/derived-address.ts';
import { lendKey } from './authenticators.ts';
import { ALICE, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const SESSIONS = SESSION_SCHEMES.map((scheme) => sessionSigner(alice, '33'.repeat(32), scheme));

let chain: StepChain;

beforeAll(async () => {
  chain = await StepChain.open();
  for (const { authenticationKey } of SESSIONS) {
    const action = lendKey(authenticationKey, { module: '*', function: '*' });
    expect(chain.call({ sender: alice, action }).status.kind).toBe('executed');
  }
});

/** Whether the proof is of what the chain requires, which is all that is left to check in the turn. */
function suffices(proof: VerifiedSigner | undefined, { data }: SignedTransaction): boolean {
  if (proof?.kind === 'bitcoin') return equalBytes(proof.account, data.sender);
  if (proof?.kind !== 'session') return false;
  return SESSIONS.some(({ authenticationKey }) => equalBytes(authenticationKey, proof.authenticationKey));
}

function expectAgreement(transaction: SignedTransaction): boolean {
  const proof = verifyAuthenticator(transactionHash(transaction.data), transaction.authenticator);
  const validation = validateSigned(encode(signedTransaction, transaction), chain.context);
  expect(suffices(proof, transaction)).toBe(validation.kind === 'validated');
  return validation.kind === 'validated';
}

/** Changes a byte, cuts bytes off or adds some. */
const damage: fc.Arbitrary<(payload: Uint8Array) => Uint8Array> = fc.oneof(
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([place, change]) => (payload: Uint8Array) => {
    const at = place % payload.length;
    return payload.with(at, payload[at]! ^ change);
  }),
  fc.nat().map((length) => (payload: Uint8Array) => payload.subarray(0, length % (payload.length + 1))),
  fc
    .uint8Array({ minLength: 1, maxLength: 4 })
    .map((tail) => (payload: Uint8Array) => Uint8Array.of(...payload, ...tail)),
);

function agrees(signer: Signer, change: (payload: Uint8Array) => Uint8Array): void {
  const sound = signer.sign(chain.data(parseAddress(signer.address), transfer(alice, 1n)));
  expect(expectAgreement(sound)).toBe(true);
  const { authenticator } = sound;
  expectAgreement({ ...sound, authenticator: { ...authenticator, payload: change(authenticator.payload) } });
}

describe('what is proven ahead is what the validators find', () => {
  it('of Bitcoin keys, for each address and form of the message', () => {
    const publicKey = fromHex(ALICE.publicKey);
    const addresses = [addressOfTaproot, addressOfPublicKeyHash, addressOfWitnessPublicKeyHash];
    fc.assert(
      fc.property(
        fc.constantFrom(...addresses),
        fc.constantFrom('consensus' as const, 'legacy' as const),
        fc.constantFrom('', 'sdk', 'a longer text\nof two lines'),
        damage,
        (addressOf, messageForm, info, change) => {
          const bitcoinAddress = addressOf(publicKey);
          agrees(bitcoinSigner(ALICE.privateKey, { bitcoinAddress, messageForm, info }), change);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(SESSIONS)('of session keys: $scheme', (signer) => {
    fc.assert(
      fc.property(damage, (change) => agrees(signer, change)),
      { numRuns: 25 },
    );
  });
});
