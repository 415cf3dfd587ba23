import { type Selectable, sql } from 'kysely';

import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { featureKind, plan } from '../../outbox/outbox.ts';
import type { HomePlace } from './rules.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { homeKey } from '../../slack/ids.ts';

export type Home = Selectable<BridgeTables['home']>;
type Whose = { team: string; user: string };

/** Returns a user's Home, if they have opened it; others are not updated. */
export async function findHome(
  { database }: Pick<Bridge, 'database'>,
  whose: Whose,
): Promise<Home | undefined> {
  return database.db
    .selectFrom('home')
    .selectAll()
    .where('team_id', '=', whose.team)
    .where('chat_user_id', '=', whose.user)
    .executeTakeFirst();
}

/** Records that a user opened their Home, or another section. It is redrawn in any case. */
export async function setHome(
  tx: Tx<BridgeTables>,
  { clock, newId }: Pick<Bridge, 'clock' | 'newId'>,
  whose: Whose,
  { place, notice = null }: { place?: HomePlace; notice?: string | null } = {},
): Promise<void> {
  const where = place ? { part: place.part, page: place.page } : {};
  await tx
    .insertInto('home')
    .values({
      team_id: whose.team,
      chat_user_id: whose.user,
      part: 'all',
      page: 1,
      ...where,
      notice,
      opened_at: clock.now(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'chat_user_id'])
        .doUpdateSet({ ...where, notice, digest: null, opened_at: clock.now() }),
    )
    .execute();
  await planHome(tx, { clock, newId }, whose);
}

/**
 * Plans to draw a Home. Many changes at once are one drawing: a planned one that has not started will read the latest
 * state.
 */
export async function planHome(
  tx: Tx<BridgeTables>,
  bridge: Pick<Bridge, 'clock' | 'newId'>,
  { team, user }: Whose,
): Promise<void> {
  const waiting = await tx
    .selectFrom('outbox')
    .select('id')
    .where('team_id', '=', team)
    .where('channel_id', '=', user)
    .where('kind', '=', 'home')
    .where('state', '=', 'planned')
    .executeTakeFirst();
  if (waiting) return;
  const place = { conversationId: null, team, channel: user, orderingKey: homeKey(team, user) };
  await plan(tx, bridge, place, [{ kind: featureKind('home') }]);
}

/** After this time a Home is redrawn only when it is opened. */
const LOOKED_AT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns the users on whose Home a change is visible: those in the ticket's record, and those whose Home shows it now.
 */
export async function homesOf(
  { database, clock, bot }: Pick<Bridge, 'database' | 'clock' | 'bot'>,
  ticketId: string,
  userIds: readonly string[],
): Promise<Whose[]> {
  const rows = await database.db
    .selectFrom('home')
    .leftJoin('person', (join) =>
      join
        .onRef('person.team_id', '=', 'home.team_id')
        .onRef('person.chat_user_id', '=', 'home.chat_user_id'),
    )
    .select(['home.team_id', 'home.chat_user_id'])
    .where('home.team_id', '=', bot.team)
    .where('home.opened_at', '>', new Date(clock.now().getTime() - LOOKED_AT_MS))
    .where((is) =>
      is.or([
        sql<boolean>`${ticketId} = any(home.tickets)`,
        ...(userIds.length > 0 ? [is('person.user_id', 'in', userIds)] : []),
      ]),
    )
    .execute();
  return rows.map((row) => ({ team: row.team_id, user: row.chat_user_id }));
}
