/**
 * Modules from outside the project that tests read when they are there: the kernels of ../shared, and every module of
 * the reference's released frameworks.
 *
 * The reference is a directory named by MOVELET_REFERENCE (a checkout of it); nothing of it enters the repository. A
 * released framework is BCS: a vector of packages { name, address, modules: vector<bytes> }.
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bytes, bytes32, decode, string, struct, vector } from '../../src/base/bcs.ts';
import { fromHex } from '../../src/base/bytes/bytes.ts';

const { MOVELET_REFERENCE: reference, MOVELET_SHARED } = process.env;
const shared = MOVELET_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
const kernels = `${shared}/data/kernels/kernels.mv`;
const releases = `${reference}/frameworks/framework-release/released`;

export const hasKernels: boolean = existsSync(kernels);
/** For the names of tests that want the kernels. */
export const kernelsNote: string = hasKernels ? '' : ' (skipped: ../shared is missing)';
export const hasReference: boolean = reference !== undefined && existsSync(releases);
/** For the names of tests that want it. */
export const referenceNote: string = hasReference ? '' : ' (skipped: MOVELET_REFERENCE names no checkout)';

interface CorpusPackage {
  readonly name: string;
  readonly address: Uint8Array;
  readonly modules: readonly Uint8Array[];
}

const packages = vector(struct<CorpusPackage>({ name: string, address: bytes32, modules: vector(bytes) }));

export function kernelModule(): Uint8Array {
  return new Uint8Array(readFileSync(kernels));
}

/** The numbers of the released frameworks, ascending. */
export function releaseNumbers(): number[] {
  return readdirSync(releases)
    .map(Number)
    .filter((number) => number > 0)
    .sort((left, right) => left - right);
}

/** The packages of one released framework, in publishing order. */
export function releasedPackages(release: number): readonly CorpusPackage[] {
  return decode(packages, new Uint8Array(readFileSync(`${releases}/${release}/stdlib`)));
}

/** Large modules from another chain's production, which the reference's verifier must accept by its unit tests. */
export function productionModules(): Uint8Array[] {
  const tests = 'third_party/move/language/move-bytecode-verifier/bytecode-verifier-tests/src/unit_tests';
  const source = readFileSync(`${reference}/${tests}/binary_samples.rs`, 'utf8');
  return [...source.matchAll(/"(a11ceb0b[0-9a-f]+)"/g)].map(([, digits]) => fromHex(digits!));
}

/** The genesis files of the main and the test network. */
export function genesisFiles(): Buffer[] {
  return ['main', 'test'].map((network) => readFileSync(`${reference}/crates/rooch-genesis/released/${network}`));
}
