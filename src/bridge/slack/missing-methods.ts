import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { MethodNews } from './client.ts';
import { METHODS } from './methods.ts';

const KEY = 'missing-methods';
const Missing = z.record(z.string(), z.object({ answer: z.string(), at: z.coerce.date() }));
type Missing = z.output<typeof Missing>;

/** A method that Slack does not offer to the app, and how it said so. */
export interface MissingMethod {
  method: string;
  answer: string;
}

/** Missing methods are called from time to time. A method that was not called for this long may exist now. */
const FORGOTTEN_MS = 24 * 3_600_000;
/** How often the time of the last call is stored. */
const STORE_AGAIN_MS = 3_600_000;

/** Returns the methods that a bridge called in the last day and Slack did not offer, by name. */
export async function readMissingMethods(db: Db<BridgeTables>, now: Date): Promise<MissingMethod[]> {
  return listed((await readSetting(db, KEY, Missing)) ?? {}, now);
}

function listed(missing: Missing, now: Date): MissingMethod[] {
  return Object.entries(missing)
    .filter(([, { at }]) => now.getTime() - at.getTime() < FORGOTTEN_MS)
    .map(([method, { answer }]) => ({ method, answer }))
    .toSorted((one, other) => one.method.localeCompare(other.method));
}

/** Logs once what Slack does not offer, and stores it for the doctor. */
export class MissingMethods implements MethodNews {
  readonly #parts: { db: Db<BridgeTables>; clock: Clock; log: Log };
  #missing: Missing = {};
  /** What this process has logged, by method. */
  readonly #said = new Map<string, string>();
  #storing: Promise<void> = Promise.resolve();

  constructor(parts: { db: Db<BridgeTables>; clock: Clock; log: Log }) {
    this.#parts = parts;
  }

  /** Reads what was missing before, so that it can be taken back. */
  async load(): Promise<void> {
    this.#missing = (await readSetting(this.#parts.db, KEY, Missing)) ?? {};
  }

  offered(method: string): void {
    if (!(method in this.#missing)) return;
    const { [method]: _, ...others } = this.#missing;
    this.#missing = others;
    this.#said.delete(method);
    this.#parts.log.info({ event: 'chat.method_offered', method }, 'Slack offers a method again');
    this.#store();
  }

  notOffered(method: string, answer: string): void {
    const { clock, log } = this.#parts;
    const now = clock.now();
    const known = this.#missing[method];
    if (this.#said.get(method) !== answer)
      log.warn({ event: 'chat.method_missing', method, answer }, saysMissing({ method, answer }));
    this.#said.set(method, answer);
    if (known?.answer === answer && now.getTime() - known.at.getTime() < STORE_AGAIN_MS) return;
    this.#missing = { ...this.#missing, [method]: { answer, at: now } };
    this.#store();
  }

  /** Resolves once everything is stored. */
  async stored(): Promise<void> {
    await this.#storing;
  }

  #store(): void {
    const { db, log } = this.#parts;
    const missing = this.#missing;
    this.#storing = this.#storing
      .then(() => writeSetting(db, KEY, missing))
      .catch((error: unknown) => log.warn({ err: error }, 'could not store which methods Slack offers'));
  }
}

/** `Slack does not offer users.list (HTTP 404): people cannot be chosen from a list.` */
export function saysMissing({ method, answer }: MissingMethod): string {
  const without = METHODS[method]?.without ?? 'what needs it waits';
  return `Slack does not offer ${method} (${answer}): ${without}.`;
}
