/**
 * Well-known keys, including secret ones: ten funded accounts and the sequencer of local and dev chains.
 *
 * All come from the usual test mnemonic, by BIP-39 without passphrase and BIP-32 along the path of BIP-86 (single-key
 * taproot). The official TypeScript SDK derives the same keys: its default path is that of the first account, so
 * `Secp256k1Keypair.deriveKeypair(DEV_MNEMONIC)` is `DEV_ACCOUNTS[0]`. They are constants because the engine otherwise
 * needs no key derivation; the tests derive public keys and addresses again. Never send anything of value to them.
 *
 * An account's Bitcoin address is the taproot output of its x-only public key without script tree (BIP-341); its node
 * address is BLAKE2b-256 of the address bytes `02 01 <output key>` and the same on every Bitcoin network.
 *
 * @module
 */
import { DEV_SEQUENCER_KEY } from '../../chain/transaction/order-signature.ts';

/** A key pair and the addresses derived from it. Keys are hexadecimal digits without prefix. */
export interface DevAccount {
  /** BIP-32 path from the mnemonic's master key. */
  readonly path: string;
  /** secp256k1 secret key, 32 bytes. */
  readonly privateKey: string;
  /** Compressed secp256k1 public key, 33 bytes. */
  readonly publicKey: string;
  /** Taproot address text on Bitcoin's main network. */
  readonly mainnetAddress: string;
  /** Taproot address text on a regression-test network, which local and dev chains pair with. */
  readonly regtestAddress: string;
  /** Node address: `0x` and 64 hexadecimal digits. */
  readonly address: string;
}

/**
 * The well-known mnemonic behind all keys of this file. In the official SDK
 * `Secp256k1Keypair.deriveKeypair(DEV_MNEMONIC)` is the first account.
 */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

/** Signs transaction orders on chains whose options name no other sequencer key. */
export const DEV_SEQUENCER: DevAccount = {
  path: "m/86'/0'/0'/0/0",
  privateKey: DEV_SEQUENCER_KEY,
  publicKey: '0250f965babcdfb8cd90a525204eaf86d729a4e9602da42217e525b13142a108da',
  mainnetAddress: 'bc1pfzhx49qe6s5exppe5hqljg3n6587xk0w75xqr70pgdt7ygnfkssqxqjd9l',
  regtestAddress: 'bcrt1pfzhx49qe6s5exppe5hqljg3n6587xk0w75xqr70pgdt7ygnfkssqu3wy22',
  address: '0xcba30748c457a62349bec9f5b0451d7ef34eb53e21d7eb9d1688dddfa7167c70',
};

/** The accounts that genesis funds with gas coins on local and dev chains. */
export const DEV_ACCOUNTS: readonly DevAccount[] = [
  {
    path: "m/86'/0'/0'/0/1",
    privateKey: '1108adb4d94b2c118074ed981a387d4406d9f7cd3b021eac96dca687884c83cd',
    publicKey: '029af195de20862520997c4afb467bb2063b32a6af93021eee5d42575cd59b33f6',
    mainnetAddress: 'bc1p0lks35d0spqsvz2t3t0kqus38wrlpmcjtvvupkfkwdrzfh6zjyps9rvd6v',
    regtestAddress: 'bcrt1p0lks35d0spqsvz2t3t0kqus38wrlpmcjtvvupkfkwdrzfh6zjypsljsy4e',
    address: '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b',
  },
  {
    path: "m/86'/0'/0'/0/2",
    privateKey: 'acf5ea273bdb61097c9910d3139f4514bda55ab18b4c8dd5f1b8a489a35af2be',
    publicKey: '02d13555c474d7c92ecd925828a2cc4cc9abb9f4ae1e46e314f887ea734aca0ae5',
    mainnetAddress: 'bc1p6f0xvqe892y0fvm2hwnmmj6fzczp7lx6tluvwhymcca4d7a45jjsgzlsdv',
    regtestAddress: 'bcrt1p6f0xvqe892y0fvm2hwnmmj6fzczp7lx6tluvwhymcca4d7a45jjsjnreze',
    address: '0x5b330762ed2091043f7040fe01ac4fa4dad2c9e0f182e65c2f4041aa07576bae',
  },
  {
    path: "m/86'/0'/0'/0/3",
    privateKey: '2a970057699c34dee6c2c69a1b4cb2e8647d6c7b8d6b03d26b794f215977d828',
    publicKey: '021ecee396b6af451dd005193af1e1f84de485c19b7b3dbef08b9dcba8602a551b',
    mainnetAddress: 'bc1prleszyly6wky4xtse5l08klr0z7duwyj2z59j66km7j8jkvrde9qc09cx7',
    regtestAddress: 'bcrt1prleszyly6wky4xtse5l08klr0z7duwyj2z59j66km7j8jkvrde9qz7e3ft',
    address: '0x39a9942a90b106e75144bcb637bfed4e0738fff112617ac0e2fef1a3a3dd4fc7',
  },
  {
    path: "m/86'/0'/0'/0/4",
    privateKey: '77062c5662ee527b271edd0ff90184a9eefea2135184f9293fef3c6b3486ba2b',
    publicKey: '0317915a408d4f73fd86af1719974c7f4d565ad0b366d615dc0bd3af569fc605e0',
    mainnetAddress: 'bc1pwvm0vsxxl783w3x9psduqztqzju9hcnpf3k0gdkkm204m0cmgmts3feqlc',
    regtestAddress: 'bcrt1pwvm0vsxxl783w3x9psduqztqzju9hcnpf3k0gdkkm204m0cmgmtstc9fsd',
    address: '0x25dc924067454a0faf8e8c1a6f915aebb6f76c92fcb0e0f01d899b108b2fd15b',
  },
  {
    path: "m/86'/0'/0'/0/5",
    privateKey: '5d84299e89431e5b2336fb89014e650f3e8af502b57f112536c5ba4c5c8286e2',
    publicKey: '0370c544a7f88bffec22e8924d84763ce329e983b8ea9e59fe16e9efeb545fb150',
    mainnetAddress: 'bc1pa9pz4s6n4evtjvdnel9649kfwez357l8d2wg7aezc9gsx5m0xyas6nqzqj',
    regtestAddress: 'bcrt1pa9pz4s6n4evtjvdnel9649kfwez357l8d2wg7aezc9gsx5m0xyasqzut08',
    address: '0x9d14c1a85fbd4bdd6757ff65c72ddf3366d09f3a0f5556b0b57b4769fc806402',
  },
  {
    path: "m/86'/0'/0'/0/6",
    privateKey: 'da8fded9fe1a1dd79b5a3c46fa4b83670cdab9a771cb328ead425902bd1ac869',
    publicKey: '03360a24f61efe116274dd605d33c67ea9ea1004f2da6129dffa8b1df12c478695',
    mainnetAddress: 'bc1pvn6plel4fv9ae08fxkrqxl5wj337mcv86wzaqnyj75fpe6udj8lq4u3fge',
    regtestAddress: 'bcrt1pvn6plel4fv9ae08fxkrqxl5wj337mcv86wzaqnyj75fpe6udj8lq0ddq8v',
    address: '0x204ffcefc3cc7a4bd73915dbad010b5b37a1a5eb0fa980f0f7f7781ca2432077',
  },
  {
    path: "m/86'/0'/0'/0/7",
    privateKey: '301410a5e03ff12146379028aec0ed740b2e775de7e7b0979f68f7e4e718ba30',
    publicKey: '03ba1f10cecea10352f0a7cc8dbdbd81afa4bcc38a737f32ede087f9f185ec141f',
    mainnetAddress: 'bc1pfzh443ddrsxu60talwm74mjxjuwst8zaqp8u5pvna5lp6632d3rqe6w0uc',
    regtestAddress: 'bcrt1pfzh443ddrsxu60talwm74mjxjuwst8zaqp8u5pvna5lp6632d3rqrtjxnd',
    address: '0xf183995a7463e0ef6bb7223b57a7126a8ae09fb8d4479d22f5b3a2f725c22a2d',
  },
  {
    path: "m/86'/0'/0'/0/8",
    privateKey: 'fb9aca509ccba4fd5b71ec936951d67660895abdcb878c5dafba3b2f97f9b7ec',
    publicKey: '03639081b3334c6b209aaf0776035efc440624242b7e1a214b9ffbede302a7cfda',
    mainnetAddress: 'bc1p3kmwqq4tzwxvf0800q02h6l9mkvhzghaw646s547ffx2xvf43r6q2fwsm0',
    regtestAddress: 'bcrt1p3kmwqq4tzwxvf0800q02h6l9mkvhzghaw646s547ffx2xvf43r6qscje56',
    address: '0xc6b4e7cb6558a037e6075bbea1ca6b234ff90536a99523b1c4d3deac62a1f565',
  },
  {
    path: "m/86'/0'/0'/0/9",
    privateKey: '91f70176ec3b88f55d1179e489e9afe9d178388120b7dc3ad61729e89f8216ff',
    publicKey: '02731321745f4fd76cba87f298c5b6359277eb9fe22309a1073964378214a70e9b',
    mainnetAddress: 'bc1p5384xp7jdxfqtskak98r2vf0th0jwuxwczsxu4ech5z2f7kaejmqpmgq9d',
    regtestAddress: 'bcrt1p5384xp7jdxfqtskak98r2vf0th0jwuxwczsxu4ech5z2f7kaejmqm25f2c',
    address: '0xc92b1bd085a671af76ddcb3573a5ad37aef5809b91c3ac1e5a165d19c03e05e8',
  },
  {
    path: "m/86'/0'/0'/0/10",
    privateKey: 'b44533ed8027a60ab3e711490a986dfa6871eecdaf6f70f94fe50c684862ce45',
    publicKey: '029f237fe7669219a09fa2484d5b233b376353334ab6e441d8be690c095bc56444',
    mainnetAddress: 'bc1pkrshqjek25uvxp3vgv8pg7rftkj5zhherd8uldpwu79ekdx9u4zsgpw395',
    regtestAddress: 'bcrt1pkrshqjek25uvxp3vgv8pg7rftkj5zhherd8uldpwu79ekdx9u4zsjsjc2p',
    address: '0x85ceb4aaa900b9d7fab348294ad55c059e5278b1a3e2985ee38b624ca64d6973',
  },
];
