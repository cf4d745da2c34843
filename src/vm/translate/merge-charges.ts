/**
 * Merges consecutive charges in the text of translated code.
 *
 * Each block and each call begins a segment of gas, and where functions are inlined, several begin with nothing between
 * them but the passing of values, which cannot fail. So they form one segment: what is charged at once, and what a
 * failure in it refunds, is the same.
 * @module
 */

/** A charge, with or without a check of the counter; text that cannot fail or jump; another charge. */
const TWO_CHARGES =
  /(g\.left-=)(\d+)(\)<0\)g\.refill\(\);|;)((?:l\d+=(?:[lt]\d+|undefined);|[BI]\d+(?:I\d+)?:\{)*)g\.left-=(\d+);/g;

/** The most that the sum may be: it must leave the counter a small integer. */
const MERGED_UNITS_MAX = 2 ** 20;

export function mergeCharges(text: string): string {
  let merged = text;
  for (;;) {
    const next = merged.replace(TWO_CHARGES, (whole, charge, first, end, between, second) => {
      const sum = Number(first) + Number(second);
      return sum > MERGED_UNITS_MAX ? whole : `${charge}${sum}${end}${between}`;
    });
    if (next === merged) return merged;
    merged = next;
  }
}
