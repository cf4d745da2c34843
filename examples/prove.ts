/**
 * A proof that an object is in the state, checked by somebody who knows only the state root.
 */
import assert from 'node:assert/strict';
import { Engine, verifyStateProof } from 'movelet';

const engine = await Engine.open();
const { stateRoot } = engine.head;

const present = verifyStateProof(engine.prove('0x2::timestamp::Timestamp'), stateRoot);
assert.equal(present?.kind, 'present');

const absent = verifyStateProof(engine.prove('0x123456'), stateRoot);
assert.equal(absent?.kind, 'absent');

console.log(`both proofs hold under ${stateRoot}`);
await engine.close();
