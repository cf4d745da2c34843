/**
 * A proof that an object is in the state, checked by somebody who knows only the state root.
 */
import assert from 'node:assert/strict';
import { Engine, verifyStateProof } from 'movelet';
import { parseObjectId } from 'movelet/types';

const engine = await Engine.open();
const { stateRoot } = engine.head;

const present = verifyStateProof(engine.prove(parseObjectId('0x2::timestamp::Timestamp')), stateRoot);
assert.equal(present?.kind, 'present');

const absent = verifyStateProof(engine.prove(parseObjectId('0x123456')), stateRoot);
assert.equal(absent?.kind, 'absent');

console.log('both proofs hold under', Buffer.from(stateRoot).toString('hex'));
await engine.close();
