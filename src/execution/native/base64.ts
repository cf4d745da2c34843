/**
 * Natives of `0x2::base64`: RFC 4648, with padding; decoding also accepts the URL-safe alphabet, with or without
 * padding. Text must be in canonical form: full padding, no bits set beyond the data. Source:
 * frameworks/moveos-stdlib/src/natives/moveos_stdlib/base64.rs of the reference.
 * @module
 */
import { base64, base64url } from '@scure/base';
import { encodeUtf8, isAscii } from '../../base/bytes/bytes.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';
import { attempt } from './panic.ts';

const DECODE_FAILED = 1;

/** Bytes per microsecond, measured. */
const BYTES_PER_WORK = 20;

export const BASE64: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'base64' },
  natives: (prices) => {
    // Free on chains older than the natives.
    const encodeCost = prices.linearOrFree('base64.encode');
    const decodeCost = prices.linearOrFree('base64.decode');
    return {
      encode: (context, _signature, bytes: ByteVector): ByteVector => {
        context.charge(encodeCost(bytes.length));
        context.host.work.spend(Math.ceil(bytes.length / BYTES_PER_WORK));
        return new ByteVector(encodeUtf8(base64.encode(bytes.view())));
      },

      decode: (context, _signature, text: ByteVector): ByteVector => {
        context.charge(decodeCost(text.length));
        context.host.work.spend(Math.ceil(text.length / BYTES_PER_WORK));
        return new ByteVector(decode(text.view()) ?? context.abort(DECODE_FAILED));
      },
    };
  },
};

const ascii = new TextDecoder('latin1');

/** Text with `+`, `/` or `=` is in the standard alphabet and padded; any other text is URL-safe and without padding. */
function decode(bytes: Uint8Array): Uint8Array | undefined {
  if (!isAscii(bytes)) return undefined;
  const text = ascii.decode(bytes);
  const isStandard = /[+/=]/.test(text);
  // The codec throws for text that is not base64.
  return attempt(() =>
    isStandard ? base64.decode(text) : base64url.decode(text.padEnd(Math.ceil(text.length / 4) * 4, '=')),
  );
}
