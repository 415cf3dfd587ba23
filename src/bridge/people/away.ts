import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { moment } from '../blocks/card.ts';
import { knownZone, shownAt, wallClock } from '../blocks/time.ts';
import { type Person, peopleNamed, type User, usersOf } from './people.ts';

/** More users than this are a group, not individuals. */
const NAMED_AT_MOST = 20;

/** Returns until when a user is away at an instant; undefined for who is not, also if a service does not say (Ext). */
export function awayUntil({ absence }: User, at: Date): Date | undefined {
  if (!absence) return undefined;
  const [from, until] = [new Date(absence.from), new Date(absence.until)];
  return from <= at && at < until ? until : undefined;
}

/** Returns whether all of these users are away at an instant, and there are any. Throws ServiceError. */
export async function areAllAway(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  userIds: readonly string[],
  at: Date,
): Promise<boolean> {
  if (userIds.length === 0) return false;
  const away = (await usersOf(bridge, userIds)).filter((user) => awayUntil(user, at) !== undefined);
  return away.length === userIds.length;
}

/**
 * Returns a sentence for each of these users who is away now, other than the reader: until when, in the reader's own
 * time zone (B68). Throws ServiceError.
 */
export async function awayNotes(
  bridge: Bridge,
  userIds: readonly (string | null)[],
  reader: Pick<Person, 'user_id' | 'time_zone'>,
): Promise<string[]> {
  const others = [...new Set(userIds)].flatMap((id) => (id === null || id === reader.user_id ? [] : [id]));
  if (others.length === 0 || others.length > NAMED_AT_MOST) return [];
  return (await usersOf(bridge, others)).flatMap((user) => {
    const until = awayUntil(user, bridge.clock.now());
    const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || 'This person';
    return until ? [`${escapeMrkdwn(name)} is away until ${lastMoment(until, reader)}.`] : [];
  });
}

/** Returns the same for those whom a text mentions by their Slack accounts. Throws ServiceError, ChatError. */
export async function awayNotesOfMentioned(
  bridge: Bridge,
  team: string,
  accounts: readonly string[],
  reader: Pick<Person, 'user_id' | 'time_zone'>,
): Promise<string[]> {
  const ids = [...new Set(accounts)].filter((id) => id !== bridge.bot.userId);
  if (ids.length === 0 || ids.length > NAMED_AT_MOST) return [];
  const people = await peopleNamed(bridge, team, ids);
  return awayNotes(
    bridge,
    [...people.values()].map(({ user_id }) => user_id),
    reader,
  );
}

/** An absence of whole days ends on its last day, not at the midnight after it. */
function lastMoment(until: Date, { time_zone }: Pick<Person, 'time_zone'>): string {
  const timeZone = knownZone(time_zone);
  const { hour, minute } = wallClock(until, timeZone);
  if (hour !== 0 || minute !== 0) return moment(until, timeZone);
  const last = new Date(until.getTime() - 1_000);
  const [day = ''] = shownAt(last, timeZone).split(/, \d\d:/);
  return `<!date^${Math.floor(last.getTime() / 1000)}^{date_short_pretty}|${day}>`;
}
