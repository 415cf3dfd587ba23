import { ifRejected } from './slack/errors.ts';
import {
  findPerson,
  readPerson,
  ALLOWS_BOTS,
  AllowsBots,
  type Person,
  userName,
  findUser,
  usersOf,
} from './people/people.ts';
import { readSetting, writeSetting } from './settings.ts';
import { ChatAway, type ConnectOptions, openBridge } from './open.ts';
import { SCHEMA } from './bridge.ts';
import type { BridgeTables } from './schema/tables.ts';
import { type Database, openDatabase } from '../platform/database/open.ts';

/** A chat user with the linked user of the service. */
export type KnownPerson = ReturnType<typeof knownPerson>;

const knownPerson = (row: Person) => ({
  chatUserId: row.chat_user_id,
  name: row.name,
  /** Null if the service has none. */
  userId: row.user_id,
  /** The admin who linked them; null if they were matched by e-mail address or chat account. */
  linkedBy: row.linked_by,
  isGuest: row.is_guest,
  isBot: row.is_bot,
  isDeactivated: row.is_deleted,
});

export type PeopleTable = Awaited<ReturnType<typeof openPeople>>;

/**
 * Opens the links between chat users and users, for operators (docs/set-up.md); works next to a running bridge. While
 * Slack cannot be reached, only `link` fails.
 * @throws StartError if Slack rejects the token.
 */
export async function openPeople(options: ConnectOptions) {
  const opened = await openBridge({ ...options, waits: false }).catch((error: unknown) => {
    if (error instanceof ChatAway) return error;
    throw error;
  });
  const away = opened instanceof ChatAway ? opened : undefined;
  const bridge = opened instanceof ChatAway ? undefined : opened.bridge;
  const alone = opened instanceof ChatAway ? databaseOf(options) : undefined;
  const database = alone ?? bridge?.database;
  if (!database) throw new TypeError('neither the table nor a database is open');
  const { db } = database;
  // Only Slack says which workspace a token is of; the tables may also have people of one that was connected before.
  const team = bridge?.bot.team ?? options.chat.within?.team;
  const update = (chatUserId: string) => {
    const ofUser = db.updateTable('person').where('chat_user_id', '=', chatUserId);
    return team === undefined ? ofUser : ofUser.where('team_id', '=', team);
  };

  return {
    /** Why Slack cannot be reached, as a sentence; undefined if it can. */
    away: away?.message,

    /** Returns all chat users read so far, by name; with `words` only those whose name or ids contain them. */
    async list(words: string | undefined): Promise<KnownPerson[]> {
      const known = db.selectFrom('person').selectAll().orderBy('name').orderBy('chat_user_id');
      const rows = await (team === undefined ? known : known.where('team_id', '=', team)).execute();
      const wanted = words?.toLowerCase();
      return rows
        .filter(
          ({ name, chat_user_id, user_id }) =>
            wanted === undefined ||
            [name, chat_user_id, user_id ?? ''].some((text) => text.toLowerCase().includes(wanted)),
        )
        .map(knownPerson);
    },

    /**
     * Links a chat user to a user of the service from now on; existing messages stay. `wanted` is an id or an e-mail
     * address. Returns the user's name, or what was wrong.
     */
    async link(chatUserId: string, wanted: string): Promise<{ name: string } | { refusal: string }> {
      if (!bridge) throw away ?? new TypeError('Slack was reached');
      const lower = wanted.toLowerCase();
      const user = wanted.includes('@')
        ? await findUser(bridge, { email: wanted }, ({ email }) => email?.toLowerCase() === lower)
        : (await usersOf(bridge, [wanted]))[0];
      if (!user) return { refusal: `The service has no user ${wanted} that this key can see.` };
      const { team } = bridge.bot;
      if (!(await findPerson(bridge, team, chatUserId))) {
        const shown = await bridge.chat.profile(chatUserId, bridge.bot).catch(ifRejected(undefined));
        if (!shown) return { refusal: `Slack shows nobody with the id ${chatUserId}.` };
        await readPerson(bridge, team, chatUserId, undefined);
      }
      await update(chatUserId).set({ user_id: user.id, linked_by: 'admin' }).execute();
      return { name: userName(user) ?? user.id };
    },

    /** Removes a link, so that they are matched again before their next message. False if there was none. */
    async unlink(chatUserId: string): Promise<boolean> {
      const { numUpdatedRows } = await update(chatUserId)
        .set({ user_id: null, linked_by: null, read_at: new Date(0) })
        .where('linked_by', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Returns whether other bots' messages are forwarded (B17); sets it if `allowed` is given. */
    async bots(allowed?: boolean): Promise<boolean> {
      if (allowed !== undefined) await writeSetting(db, ALLOWS_BOTS, allowed);
      return (await readSetting(db, ALLOWS_BOTS, AllowsBots)) ?? false;
    },

    stop: async () => {
      await alone?.close();
      if (!(opened instanceof ChatAway)) await opened.close();
    },
  };
}

/** Opens the bridge's database without its other connections; it is migrated already. */
function databaseOf({ databaseUrl, schema = SCHEMA, log }: ConnectOptions): Database<BridgeTables> {
  return openDatabase<BridgeTables>({ url: databaseUrl, schema, log, poolSize: 1 });
}
