/** Requests that anyone may send: cheap ones, and ones that ask for as much as a request may. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';

export const call = (method: string, ...params: readonly unknown[]): unknown => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});

export const BALANCE: unknown = call('chain_getBalance', DEV_ACCOUNTS[0]!.address, '0x3::gas_coin::RGas');

/** A view of a function, with BCS arguments. */
export const view = (id: string, types: readonly string[], ...args: readonly string[]): unknown =>
  call('chain_executeViewFunction', { function_id: id, ty_args: types, args });

function uleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

/** A byte string as an argument of a view. */
export const bytesArgument = (bytes: Uint8Array): string =>
  `0x${Buffer.concat([Buffer.from(uleb(bytes.length)), bytes]).toString('hex')}`;

/** The most expensive single native call a view may make: a verifying key of 256 points, each of which is checked. */
export function verifyingKey(): unknown {
  const [g1, g2] = [bls12_381.G1.Point.BASE.toBytes(true), bls12_381.G2.Point.BASE.toBytes(true)];
  const count = Buffer.alloc(8);
  count.writeUInt32LE(256);
  const key = Buffer.concat([g1, g2, g2, g2, count, ...new Array<Uint8Array>(256).fill(g1)]);
  return view('0x2::groth16::prepare_verifying_key', [], '0x00', bytesArgument(key));
}

/** A module that anyone may publish and then call with views. `0xa11ce` stands for the account. */
export const GREEDY: string = `module 0xa11ce::greedy
  public fun spin() { again: Branch again }
  public fun recurse(n: u64) { again: CopyLoc n; LdU64 0; Eq; BrTrue end; CopyLoc n; LdU64 1; Sub; Call recurse; Branch again; end: Ret }
  public fun grow(): vector<u64> { let v: vector<u64>
    VecPack u64 0; StLoc v
    again: MutBorrowLoc v; LdU64 7; VecPushBack u64; ImmBorrowLoc v; VecLen u64; LdU64 900000; Lt; BrTrue again
    MoveLoc v; Ret }
  public fun texts(n: u64): vector<0x1::string::String> { let v: vector<0x1::string::String>
    VecPack 0x1::string::String 0; StLoc v
    again: MutBorrowLoc v; LdConst vector<u8> 0x0161; Call 0x1::string::utf8; VecPushBack 0x1::string::String
    MoveLoc n; LdU64 1; Sub; StLoc n; CopyLoc n; LdU64 0; Neq; BrTrue again
    MoveLoc v; Ret }
  public fun encode58(b: vector<u8>) { again: ImmBorrowLoc b; Call 0x2::base58::encoding; Pop; Branch again }
  public fun decode58(b: vector<u8>) { again: ImmBorrowLoc b; Call 0x2::base58::decoding; Pop; Branch again }
  public fun encode64(b: vector<u8>) { again: ImmBorrowLoc b; Call 0x2::base64::encode; Pop; Branch again }
  public entry fun dry(b: vector<u8>) { again: ImmBorrowLoc b; Call 0x2::base58::encoding; Pop; Branch again }
  public fun keccak(b: vector<u8>) { again: ImmBorrowLoc b; Call 0x2::hash::keccak256; Pop; Branch again }
  public fun sha2(b: vector<u8>) { again: CopyLoc b; Call 0x1::hash::sha2_256; Pop; Branch again }
  public fun rlp(b: vector<vector<u8>>) { again: ImmBorrowLoc b; Call 0x2::rlp::to_bytes<vector<vector<u8>>>; Pop; Branch again }`;

/** A view of a function of that module. */
export const greedy = (account: string, name: string, ...args: readonly string[]): unknown =>
  view(`${account}::greedy::${name}`, [], ...args);

export const NOBODYS_OBJECT: string = `0x${'77'.repeat(32)}`;
