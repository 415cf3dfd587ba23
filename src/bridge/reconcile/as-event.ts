import {
  type ChatEvent,
  type EventOf,
  type ListedReaction,
  parseChatEvent,
  parseListedReactions,
} from '../slack/chat-event.ts';
import type { ChatPlace } from '../slack/ids.ts';
import type { Bridge } from '../bridge.ts';
import { storeChatEvent } from '../inbox/store.ts';

/** A listed item as the event that should have reported it, so it is handled like any other event. */
export interface AsEvent<Event extends ChatEvent = ChatEvent> {
  event: Event;
  /** The envelope's body, as stored. */
  body: unknown;
}

/** A listed message, with when it was written and edited. */
export interface ListedMessage {
  ts: string;
  created: AsEvent<EventOf<'message'>>;
  edited: AsEvent<EventOf<'message-edited'>> | undefined;
  /** Of a parent, the timestamp of the newest reply. */
  latestReply: string | undefined;
  /** The listed reactions and their users. */
  reactions: ListedReaction[];
}

/** Parses one message of `conversations.replies` or `conversations.history`; undefined if it is not one. */
export function readListed(
  team: string,
  channel: string,
  direct: boolean,
  raw: unknown,
): ListedMessage | undefined {
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
    ts: created.event.message.ts,
    created,
    edited,
    latestReply: 'latest_reply' in raw && typeof raw.latest_reply === 'string' ? raw.latest_reply : undefined,
    reactions: parseListedReactions(raw),
  };
}

/** Returns the deletion of a message that no longer exists. */
export function asDeletion(
  { team, channel, ts }: ChatPlace,
  root: string,
): AsEvent<EventOf<'message-deleted'>> {
  const event = {
    type: 'message',
    subtype: 'message_deleted',
    channel,
    deleted_ts: ts,
    previous_message: { ts, thread_ts: root },
  };
  const parsed = asEvent(team, event, 'message-deleted');
  if (!parsed) throw new Error('a deletion that the bridge made itself cannot be read');
  return parsed;
}

/** Returns a reaction that was added or removed; its time is not listed. */
export function asReaction(
  { team, channel, ts }: ChatPlace,
  { user, name, added, eventTs }: { user: string; name: string; added: boolean; eventTs: string },
): AsEvent<EventOf<'reaction'>> {
  const event = {
    type: added ? 'reaction_added' : 'reaction_removed',
    user,
    reaction: name,
    event_ts: eventTs,
    item: { type: 'message', channel, ts },
  };
  const parsed = asEvent(team, event, 'reaction');
  if (!parsed) throw new Error('a reaction that the bridge made itself cannot be read');
  return parsed;
}

function asEvent<Kind extends ChatEvent['kind']>(
  team: string,
  event: object,
  kind: Kind,
): AsEvent<EventOf<Kind>> | undefined {
  const body = { type: 'event_callback', team_id: team, event_id: 'found', event };
  const parsed = parseChatEvent(body);
  return parsed?.kind === kind ? { event: parsed as EventOf<Kind>, body } : undefined;
}

/** Stores what was missed like events of Slack; returns how many were new. */
export async function storeFinds(bridge: Bridge, finds: readonly AsEvent[]): Promise<number> {
  let found = 0;
  for (const { event, body } of finds) {
    if ((await storeChatEvent(bridge, event, body)) === 'repeated') continue;
    found += 1;
    bridge.log.warn(
      { event: 'reconcile.found', kind: event.kind, key: event.key },
      'found an event in chat that the bridge had missed',
    );
  }
  return found;
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
