interface RecordedBlock {
  readonly height: number;
  /** Owners revealed by what spends the outputs. */
  readonly derived: number;
  readonly hash: string;
  /** The first digits. */
  readonly rawSha256: string;
  readonly hasStakingRecords?: boolean;
  /** Outputs after the block, and their value in satoshis. */
  readonly utxos: number;
  readonly value: bigint;
  readonly opReturns?: number;
  /** Addresses that were recorded. */
  readonly mapped?: number;
  /** Events of receivers and of senders. */
  readonly queued?: readonly [number, number];
  readonly created: number;
  /** Transfers that the chain sees, and all that the indexer logs. */
  readonly transferred: readonly [number, number];
  readonly reinscriptions?: number;
  /** Blessed, cursed, unbound. */
  readonly counts?: readonly [number, number, number];
  readonly lostSats?: bigint;
  /** Of outputs, inscriptions, and inscriptions in BCS. */
  readonly digests?: readonly [string, string, string];
}

/** What the blocks of the tester files are known to do, in the order of their heights: bitcoin.md 11.3. */
export const RECORDED: readonly RecordedBlock[] = [
  {
    height: 100000,
    derived: 3,
    hash: '000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506',
    rawSha256: 'b02256f05ce2fc0d',
    utxos: 6,
    value: 10_301_000_000n,
    created: 0,
    transferred: [0, 0],
    reinscriptions: 0,
  },
  {
    height: 781735,
    derived: 2540,
    hash: '000000000000000000053203e7c908cbe52a9340c382f08c8306adf70d1df20d',
    rawSha256: '55a7f633cd2a4973',
    utxos: 2110,
    value: 75_777_594_463n,
    opReturns: 11,
    mapped: 1182,
    queued: [1534, 1533],
    created: 465,
    transferred: [207, 230],
    reinscriptions: 0,
    counts: [350, 115, 0],
    lostSats: 0n,
    digests: [
      'b46814110dc58e11de5657105b848e7eebda6ae5dfdf3575e033a95027dedac0',
      'ca57a9fc589a47d03e32a7ecd9a6e40ef403ea2a49604c13fd80c69e041521d9',
      '65008ddc0cbd6a219bfca67d3faba5c8fa6f8ca5679dc7778686109c554578b4',
    ],
  },
  {
    height: 794970,
    derived: 6023,
    hash: '00000000000000000000209ef72105c537f504136657cda80a97abc556afa2ff',
    rawSha256: '3ff101ab43198065',
    utxos: 6973,
    value: 63_748_082_608n,
    opReturns: 8,
    mapped: 1718,
    queued: [6840, 6839],
    created: 5226,
    transferred: [2, 40],
    reinscriptions: 1,
    counts: [5224, 2, 0],
    lostSats: 638_003_573n,
    digests: [
      '405f6d40ed79981ca0a7a50c3930977e44c50f87a55c2d28326891c4f3e48719',
      '4d9d486732e170b1d8499f2b5bf484b262047c03775ecab2dcb6be87b846a47d',
      '94126fe290700d1a60a571e34ae33e77300c9194220051db7908139696f932f8',
    ],
  },
  {
    height: 832918,
    derived: 3723,
    hash: '0000000000000000000360a100a86a02864d7104738e0afdf5428e2a7571c70e',
    rawSha256: '3c3ef32bf7d6d520',
    utxos: 8823,
    value: 733_753_923_563n,
    opReturns: 22,
    mapped: 6609,
    queued: [7679, 7701],
    created: 1006,
    transferred: [5, 6339],
    reinscriptions: 101,
    counts: [1006, 0, 0],
    lostSats: 650_899_640n,
    digests: [
      'f973b266fc2ff6d4125fb5251a6f092eb068e1b01f794e531c32e9043e2d5e3e',
      '840262bf8e08c832ad5b4a28b69f14bd8e0eeaf65d7574e53c4d9b713dfa270c',
      '2bf477d2278a57bd86007d5a62c3ab6b5147bc6d0f3f711fbb9b542c1a00ea04',
    ],
  },
  {
    height: 864790,
    derived: 2501,
    hash: '00000000000000000002ed810ff436d5c72dec82602487b7512af5b5d6d23da6',
    rawSha256: '6263ec61772bbc95',
    hasStakingRecords: true,
    utxos: 4665,
    value: 552_570_311_105n,
    opReturns: 3868,
    mapped: 3842,
    queued: [3639, 3640],
    created: 76,
    transferred: [1, 0],
    counts: [76, 0, 0],
    lostSats: 323_112_544n,
    digests: [
      'f35912a5cb382be156baf6a2505111eeca33cbb4bd9e8ebeabf5c356cfa16b7f',
      '56310f3ef259e0d6c02eb1259647d0b416f71daa820cb5cfd4bfeff66a784455',
      '7b6de23d0c28b38db1818d54363949b2eafaf8f473498c60bca07979113b8517',
    ],
  },
];
