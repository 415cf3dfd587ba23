import type { Desk } from './desk.ts';
import type { Postgres } from './postgres.ts';
import type { Program } from './programs.ts';

/** What uses the CPU while messages are forwarded. */
export const PARTS = ['bridging', 'Postgres', 'service', 'sandbox', 'load'] as const;
export type Busy = Record<(typeof PARTS)[number], number>;

/** CPU seconds that each part uses while the work runs. */
export async function busyDuring<Result>(
  { desk, postgres, bridges }: { desk: Desk; postgres: Postgres; bridges: readonly Program[] },
  work: () => Promise<Result>,
): Promise<{ result: Result; busy: Busy; seconds: number }> {
  const used = (): Busy => {
    const { user, system } = process.cpuUsage();
    return {
      bridging: bridges.reduce((sum, bridge) => sum + bridge.cpu(), 0),
      Postgres: postgres.cpu(),
      service: desk.programs.service.cpu(),
      sandbox: desk.programs.sandbox.cpu(),
      load: (user + system) / 1_000_000,
    };
  };
  const before = used();
  const began = performance.now();
  const result = await work();
  const seconds = (performance.now() - began) / 1000;
  const after = used();
  const busy = Object.fromEntries(PARTS.map((part) => [part, after[part] - before[part]])) as Busy;
  return { result, busy, seconds };
}
