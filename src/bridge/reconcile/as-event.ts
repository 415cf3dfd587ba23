import { type ChatEvent, type EventOf, parseChatEvent, parseListedReactions } from '../slack/chat-event.ts';
import { type ChatPlace, eventKey } from '../slack/ids.ts';
import type { Bridge } from '../bridge.ts';

/** A listed message as the events that should have reported it, so it is handled like any other. */
export type ListedMessage = NonNullable<ReturnType<typeof readListed>>;

/** Parses one message of `conversations.replies` or `conversations.history`; undefined if it is not one. */
export function readListed(team: string, channel: string, direct: boolean, raw: unknown) {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const place = { channel, ...(direct ? { channel_type: 'mpim' } : {}) };
  const created = asEvent(team, { ...raw, ...place, type: 'message' }, 'message');
  if (!created) return undefined;
  const edited =
    'edited' in raw && raw.edited
      ? asEvent(
          team,
          { type: 'message', subtype: 'message_changed', ...place, message: { ...raw, ...place } },
          'message-edited',
        )
      : undefined;
  return {
    ts: created.message.ts,
    created,
    edited,
    /** Of a parent, the timestamp of the newest reply. */
    latestReply: 'latest_reply' in raw && typeof raw.latest_reply === 'string' ? raw.latest_reply : undefined,
    reactions: parseListedReactions(raw),
  };
}

/** Returns the deletion of a message that no longer exists. */
export function asDeletion(place: ChatPlace, root: string): EventOf<'message-deleted'> {
  return { kind: 'message-deleted', key: eventKey.deletion(place), place, root };
}

/** Returns a reaction that was added or removed; its time is not listed. */
export function asReaction(
  place: ChatPlace,
  { user, name, added, eventTs }: { user: string; name: string; added: boolean; eventTs: string },
): EventOf<'reaction'> {
  const key = eventKey.reaction(place, user, name, added, eventTs);
  return { kind: 'reaction', key, place, user, name, added, eventTs };
}

function asEvent<Kind extends ChatEvent['kind']>(
  team: string,
  event: object,
  kind: Kind,
): EventOf<Kind> | undefined {
  const parsed = parseChatEvent({ type: 'event_callback', team_id: team, event_id: 'found', event });
  return parsed?.kind === kind ? (parsed as EventOf<Kind>) : undefined;
}

/** Stores what was missed like events of Slack; returns how many were new. */
export async function storeFinds(bridge: Bridge, finds: readonly ChatEvent[]): Promise<number> {
  const stored = await Promise.all(finds.map((event) => bridge.inbox.chat(event)));
  const found = finds.filter((_, n) => stored[n] === 'new');
  for (const { kind, key } of found)
    bridge.log.warn(
      { event: 'reconcile.found', kind, key },
      'found an event in chat that the bridge had missed',
    );
  return found.length;
}

/** Returns which of these events are already stored. */
export async function storedKeys(
  { database }: Pick<Bridge, 'database'>,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await database.db
    .selectFrom('inbox')
    .select('event_key')
    .where('source', '=', 'chat')
    .where('event_key', 'in', [...keys])
    .execute();
  return new Set(rows.map((row) => row.event_key));
}
