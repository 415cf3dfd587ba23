import { z } from 'zod';

import { SIGNATURE_WINDOW_SECONDS } from '../platform/signatures.ts';
import type { Bridge } from './bridge.ts';
import { settingOr } from './settings.ts';

/** So much the clocks of bridge, service and Slack may differ: beyond, they refuse each other's signatures. */
export const CLOCKS_DIFFER_MS = SIGNATURE_WINDOW_SECONDS * 1000;

type Stored = Pick<Bridge, 'database' | 'clock'>;

/**
 * Returns when the bridge first ran, by its own clock. Read at every start, because the first one sets it. It keeps the
 * name under which older versions stored it: they may run beside this one.
 */
export async function firstRun({ database, clock }: Stored): Promise<Date> {
  return new Date(await settingOr(database.db, 'answers-since', z.iso.datetime(), clock.now().toISOString()));
}

/**
 * Returns since when the bridge announces what it finds in the service: what was there before it first ran is not
 * announced. By the service's clock, which may be behind: so the last minutes before the first run count as well.
 */
export async function announcesSince(bridge: Stored): Promise<string> {
  return new Date((await firstRun(bridge)).getTime() - CLOCKS_DIFFER_MS).toISOString();
}
