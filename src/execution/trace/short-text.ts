/**
 * Text for humans: long addresses, ids and hashes are shortened in the middle, or replaced by known names.
 * @module
 */
import { DEV_ACCOUNTS } from '../framework/accounts.ts';

const ACCOUNTS: ReadonlyMap<string, string> = new Map(
  DEV_ACCOUNTS.map(({ address }, index) => [address, `account ${index}`]),
);

/**
 * Text with `0x3` for a system address that is written in full, `account 0` for a known account, `counter::add` for
 * what a package defines, and `0x12f107..488b` for other long ones.
 */
export function shortText(text: string): string {
  return text.replaceAll(/0x([0-9a-f]{16,})(::)?/g, (whole, digits: string, isOwner: string = '') => {
    const significant = digits.replace(/^0+/, '');
    if (digits.length === 64 && significant.length <= 4) return `0x${significant || '0'}${isOwner}`;
    if (digits.length === 64 && isOwner !== '') return '';
    return ACCOUNTS.get(whole) ?? `0x${digits.slice(0, 6)}..${digits.slice(-4)}${isOwner}`;
  });
}

/** Characters of a line. */
const LINE_CHARACTERS_MAX = 200;

/** As `shortText`, cut after LINE_CHARACTERS_MAX characters. */
export function shortLine(text: string): string {
  const line = shortText(text);
  return line.length <= LINE_CHARACTERS_MAX ? line : `${line.slice(0, LINE_CHARACTERS_MAX)}...`;
}
