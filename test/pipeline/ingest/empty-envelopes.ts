/** Inscriptions without content: seven bytes of a witness each, the most that a block can make. */

const EMPTY_ENVELOPE = Buffer.from('0063036f726468', 'hex');

/** A witness that spends a taproot output by a script of `count` empty envelopes; nobody checks the rest. */
export function emptyEnvelopes(count: number): readonly Uint8Array[] {
  const script = new Uint8Array(Buffer.concat(new Array<Uint8Array>(count).fill(EMPTY_ENVELOPE)));
  return [new Uint8Array(64).fill(1), script, Uint8Array.of(0xc0, ...new Uint8Array(32).fill(2))];
}
