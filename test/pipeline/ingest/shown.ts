/** What a wallet sees of an engine's chain: equal on chains that came to it in different ways. */

import { equalBytes } from '../../../src/base/bytes/bytes.ts';
import { formatInscriptionId } from '../../../src/bitcoin/index.ts';
import { UNBOUND_OUTPOINT } from '../../../src/bitcoin/outpoint.ts';
import type { Engine } from '../../../src/index.ts';
import type { ModelInscription } from '../../bitcoin/model.ts';
import { formatSatPoint } from '../../bitcoin/shared.ts';
import { modelOf } from './chain.ts';

/** All but numbers, and where unbound inscriptions stand in their row: both count what was seen. */
export function shown(engine: Engine): { readonly outputs: unknown[]; readonly inscriptions: unknown[] } {
  const { utxos, inscriptions } = modelOf(engine);
  return {
    outputs: [...utxos]
      .map(([key, { value, owner, seals }]) => [key, value, owner, seals.map(formatInscriptionId)])
      .sort(),
    inscriptions: [...inscriptions].map(([id, one]) => [id, shownInscription(one)]).sort(),
  };
}

const shownInscription = ({
  inscription: { location, body, contentType, charms, isCursed },
  owner,
}: ModelInscription) => ({
  owner,
  location: equalBytes(location.outpoint.txid, UNBOUND_OUTPOINT.txid) ? 'unbound' : formatSatPoint(location),
  body,
  contentType,
  charms,
  isCursed,
});
