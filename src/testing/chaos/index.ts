/**
 * The entry point `movelet/chaos`: seeded faults for testing applications (chaos.ts).
 * @module
 */
export { type Chaos, type ChaosOptions, chaos, type Reorganisations } from './chaos.ts';
export type { ChaosProxy, SocketFaults } from './chaos-proxy.ts';
export type { StoreFaults } from './chaos-store.ts';
export type { Chance, ChaosEvent } from './fault-plan.ts';
