/**
 * Changes to sources of Move that leave most of them readable: to tokens rather than to bytes.
 * @module
 */
import type { RandomNumber } from '../random.ts';

const TOKEN = /[A-Za-z_]\w*|\d\w*|[xb]"[^"]*"|<<|>>|<=|>=|==|!=|&&|\|\||::|\s+|[^\s\w]/g;

/** Words and signs that mean something where they do not stand. */
const WORDS =
  'abort acquires as break const continue copy else false friend fun has if inline let loop module move native phantom public return script spec struct true use while key store drop entry acquires u8 u16 u32 u64 u128 u256 bool address signer vector ( ) { } [ ] < > , ; : :: . & && &mut * ! + - / % | || ^ = == @0x1 @a 0 255 256 18446744073709551616 340282366920938463463374607431768211456 x"0" x"00" b"\\\\" /* */ // /// # #[test] #[test_only] é'.split(
    ' ',
  );
/** What nests, in others of its kind as deep as an input has room for. */
const NESTS = ['(', '{', 'vector[', '!', '&', '*&', 'if (true) ', 'f(|x| ', 'vector<', '1 + ', 'a::', 'x.y.', 'loop '];

/** One to three changes. */
export function mutateSource(input: Uint8Array, random: RandomNumber): Uint8Array {
  const tokens = new TextDecoder().decode(input).match(TOKEN) ?? [];
  for (let left = 1 + random(3); left > 0; left--) change(tokens, random);
  return new TextEncoder().encode(tokens.join(''));
}

function change(tokens: string[], random: RandomNumber): void {
  const at = random(tokens.length + 1);
  const other = tokens[random(tokens.length)] ?? '';
  const length = random(6);
  switch (random(8)) {
    case 0:
      tokens.splice(at, 1 + length);
      break;
    case 1:
      tokens.splice(at, 1, other);
      break;
    case 2:
      tokens.splice(at, 0, ' ', other, ' ');
      break;
    case 3:
      tokens.splice(at, 1, ` ${WORDS[random(WORDS.length)]} `);
      break;
    case 4:
      tokens.splice(at, 0, ...tokens.slice(at, at + 10 * length));
      break;
    case 5: {
      const [word] = tokens.slice(at, at + 20).filter((token) => /^\w/.test(token));
      const words = tokens.filter((token) => /^[A-Za-z]/.test(token));
      const position = word === undefined ? -1 : tokens.indexOf(word, at);
      if (position >= 0 && words.length > 0) tokens[position] = words[random(words.length)]!;
      break;
    }
    case 6:
      tokens.splice(at, 0, NESTS[random(NESTS.length)]!.repeat(1 + random(random(8) === 0 ? 3_000 : 5)));
      break;
    default: {
      const from = random(tokens.length + 1);
      tokens.splice(at, 0, ...tokens.slice(from, from + random(60)));
    }
  }
}
