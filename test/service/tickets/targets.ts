import { expect } from 'vitest';

import { until } from '../../harness/until.ts';
import { MovableClock } from '../clock.ts';
import { type Body, type Running, startTestService } from '../harness.ts';
import { undoneWork } from '../work.ts';
import { OFFICE_HOURS, openTables } from '../world.ts';

/** A first reply within two hours, a resolution within ten; only urgent tickets in half of it. */
export const TARGETS = {
  MEDIUM: { responseMinutes: 120, resolutionMinutes: 600 },
  URGENT: { responseMinutes: 60, resolutionMinutes: 300 },
};

/** A service on Friday, 20 November 2026, 10:30 in Berlin, with office hours there and a queue with targets. */
export async function setUp() {
  const clock = new MovableClock();
  const service = await startTestService({ clock });
  const hours = await made(service, '/business-hours', { ...OFFICE_HOURS, isDefault: true });
  const queue = await made(service, '/queues', { name: 'IT', prefix: 'IT', settings: { targets: TARGETS } });
  return { clock, service, hours, queue };
}

export async function made({ call }: Running, path: string, body: object): Promise<Body> {
  const answer = await call('POST', path, { body });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
}

/** Writes at one instant of the clock follow each other by a millisecond: to the nearest minute they are equal. */
export function minute(at: string | null): string | null {
  return at === null ? null : new Date(Math.round(Date.parse(at) / 60_000) * 60_000).toISOString();
}

/** When a ticket's first reply and its resolution are due. */
export const due = ({ firstReplyDueAt, resolutionDueAt }: Body) =>
  [firstReplyDueAt, resolutionDueAt].map(minute);

export const read = async ({ call }: Running, id: string) => (await call('GET', `/tickets/${id}`)).body;

/** Waits until open tickets have their new due times. */
export async function recomputed(service: Running): Promise<void> {
  const tables = openTables(service);
  await until('the new due times', async () => (await undoneWork(tables, 'due-times')) === 0);
}
