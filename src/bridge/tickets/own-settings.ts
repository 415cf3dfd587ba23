import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { ALLOWS_BOTS } from '../people/people.ts';
import { readSetting, writeSetting } from '../settings.ts';

interface OwnSetting<Value extends boolean | string> {
  /** One per queue, or one for all. */
  of: 'queue' | 'workspace';
  schema: z.ZodType<Value>;
  default: Value;
  values: string;
  does: string;
  /** The key it is stored under, if not its name. */
  key?: string;
}

const ON_OFF = { schema: z.boolean(), default: false, values: 'on or off' };
const time = (shown: string) => ({
  schema: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/),
  default: shown,
  values: `a time such as ${shown}`,
});

/**
 * Settings that the service's API does not have (B0): shown and set by `/ticket settings`, stored in the table
 * `setting`.
 */
const OWN_SETTINGS = {
  'reopen-on-thanks': {
    ...ON_OFF,
    of: 'queue',
    does: 'a reply that is only thanks or an emoji reopens a closed ticket',
  } satisfies OwnSetting<boolean>,
  'reopen-days': {
    of: 'queue',
    schema: z.string().regex(/^\d{1,3}$/),
    default: '14',
    values: 'a number of days, 0 for ever',
    does: 'for how long a reply reopens a closed ticket; later ones open a new, linked ticket',
  } satisfies OwnSetting<string>,
  'own-channels': {
    ...ON_OFF,
    of: 'queue',
    does: 'each request from a channel is private, and goes on in a private channel of its own or in direct messages',
  } satisfies OwnSetting<boolean>,
  bots: {
    ...ON_OFF,
    of: 'workspace',
    does: 'messages of other apps in a ticket’s thread are on the ticket too',
    key: ALLOWS_BOTS,
  } satisfies OwnSetting<boolean>,
  'day-begins': {
    ...time('09:00'),
    of: 'workspace',
    does: 'the time of day at which a snooze until a day ends',
  } satisfies OwnSetting<string>,
  'day-ends': {
    ...time('17:00'),
    of: 'workspace',
    does: 'the time of day of a due date without a time',
  } satisfies OwnSetting<string>,
} as const;

export type OwnSettingName = keyof typeof OWN_SETTINGS;
export const OWN_SETTING_NAMES = Object.keys(OWN_SETTINGS) as OwnSettingName[];

export function settingNamed(name: OwnSettingName): OwnSetting<boolean> | OwnSetting<string> {
  return OWN_SETTINGS[name];
}

type ValueOf<Name extends OwnSettingName> = z.output<(typeof OWN_SETTINGS)[Name]['schema']>;
interface Stored {
  database: { db: Db<BridgeTables> };
}

/** Returns the value of a setting, or its default. `queueId` for those of a queue. */
export async function ownSetting<Name extends OwnSettingName>(
  { database }: Stored,
  name: Name,
  queueId?: string,
): Promise<ValueOf<Name>> {
  const { schema, default: otherwise } = OWN_SETTINGS[name];
  const stored = await readSetting<z.ZodType>(database.db, settingKey(name, queueId), schema);
  return (stored ?? otherwise) as ValueOf<Name>;
}

/**
 * Sets a setting to what a user typed.
 * @returns false for an invalid value; nothing is set then.
 */
export async function setOwnSetting(
  { database }: Stored,
  name: OwnSettingName,
  typed: string,
  queueId?: string,
): Promise<boolean> {
  const word = typed.trim().toLowerCase();
  const value = SWITCHED.get(word) ?? word.replace(/^(?=\d:)/, '0');
  const parsed = settingNamed(name).schema.safeParse(value);
  if (!parsed.success) return false;
  await writeSetting(database.db, settingKey(name, queueId), parsed.data);
  return true;
}

const SWITCHED = new Map([
  ['on', true],
  ['yes', true],
  ['off', false],
  ['no', false],
]);

export function shownValue(value: boolean | string): string {
  return typeof value === 'string' ? value : value ? 'on' : 'off';
}

function settingKey(name: OwnSettingName, queueId: string | undefined): string {
  const { of, key = name } = settingNamed(name);
  return of === 'queue' ? `queue:${queueId ?? ''}:${key}` : key;
}
