/**
 * With MOVELET_PENDING_COMMITS, every chain of the tests makes its commits after so many of them (src/pipeline/
 * pending-commits.ts): 0 makes each at once, 1 each after it was taken. Vitest runs it before each test file.
 */
const { MOVELET_PENDING_COMMITS } = process.env;

if (MOVELET_PENDING_COMMITS !== undefined) {
  const { PendingCommits } = await import('../src/pipeline/pending-commits.ts');
  PendingCommits.commitsMax = Number(MOVELET_PENDING_COMMITS);
}
