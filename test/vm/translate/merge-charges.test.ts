/** Charges of gas in the text of translated code: merged where nothing can happen between them. */
import { expect, it } from 'vitest';
import { mergeCharges } from '../../../src/vm/translate/translate.ts';

it.each([
  ['g.left-=3;g.left-=4;', 'g.left-=7;'],
  ['g.left-=3;g.left-=4;g.left-=5;', 'g.left-=12;'],
  ['g.left-=3;l7=t0;l8=l2;l9=undefined;I0:{g.left-=4;', 'g.left-=7;l7=t0;l8=l2;l9=undefined;I0:{'],
  ['g.left-=3;B4:{B12I3:{g.left-=4;', 'g.left-=7;B4:{B12I3:{'],
  ['if((g.left-=3)<0)g.refill();g.left-=4;', 'if((g.left-=7)<0)g.refill();'],
])('merges %s', (text, merged) => {
  expect(mergeCharges(`${text}return;`)).toBe(`${merged}return;`);
});

it.each([
  // What may fail, jump or be skipped.
  'g.left-=3;t0=c1.run(k+1);g.left-=4;',
  'g.left-=3;if(t0){g.left-=4;}',
  'g.left-=3;}g.left-=4;',
  'g.left-=3;L1:for(;;){g.left-=4;',
  'g.left-=3;break B1;}g.left-=4;',
  'g.left-=3;l7=new c1(t0);g.left-=4;',
  'g.left-=3;g.chargeWithin(14*c0.size(l1));g.left-=4;',
  // A look at the counter stays where it is.
  'g.left-=3;if((g.left-=4)<0)g.refill();',
  // The counter stays a small integer.
  'g.left-=1048000;g.left-=1000;',
])('leaves %s', (text) => {
  expect(mergeCharges(text)).toBe(text);
});
