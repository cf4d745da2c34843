/** Changes to bytes as accidents and attackers make them. */

/** Bytes that mean something in scripts and lengths. */
const SPECIAL = [0, 1, 0x4c, 0x4d, 0x4e, 0x63, 0x68, 0x7f, 0x80, 0xfd, 0xfe, 0xff];

/** One to four changes at random places: bits, bytes, cuts, removals, repetitions. */
export function mutate(original: Uint8Array, next: (below: number) => number): Uint8Array {
  let bytes: Uint8Array = original.slice();
  for (let left = 1 + next(4); left > 0; left--) {
    const at = next(bytes.length + 1);
    const length = 1 + next(8);
    switch (next(6)) {
      case 0:
        if (at < bytes.length) bytes[at] = bytes[at]! ^ (1 << next(8));
        break;
      case 1:
        if (at < bytes.length) bytes[at] = SPECIAL[next(SPECIAL.length)]!;
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + length)]);
        break;
      case 4:
        bytes = Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at - length, at), ...bytes.subarray(at)]);
        break;
      default:
        for (let index = at; index < Math.min(at + length, bytes.length); index++) bytes[index] = next(256);
    }
  }
  return bytes;
}
