import { type Selectable, sql } from 'kysely';

import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { featureKind, plan } from '../../outbox/outbox.ts';
import type { HomePlace } from './rules.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { homeKey } from '../../slack/ids.ts';

export type Home = Selectable<BridgeTables['home']>;
type Whose = { team: string; user: string };

/** Somebody who has opened their Home; nobody else's is kept up to date. */
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

/** Somebody opened their Home, or went to another place on it. It is drawn anew, whatever it shows now. */
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
 * Plans to draw a Home. Many changes at once are one drawing: one that is planned and not begun will read what is true
 * then, so another is not needed.
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

/** After this long a Home is drawn again only when it is opened. */
const LOOKED_AT_MS = 30 * 24 * 60 * 60 * 1000;

/** Whose Home a change of a ticket shows on: whom its record names, and whose Home shows it now. */
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
