import { type ChatEvent, type EventOf, parseChatEvent, parseListedReactions } from '../slack/chat-event.ts';
import type { Envelope } from '../slack/envelope.ts';
import type { ChatPlace } from '../slack/ids.ts';
import type { Bridge } from '../bridge.ts';

/** A listed message as the envelopes that should have reported it, so it is handled like any other. */
export type ListedMessage = NonNullable<ReturnType<typeof readListed>>;

/** Parses one message of `conversations.replies` or `conversations.history`; undefined if it is not one. */
export function readListed(team: string, channel: string, direct: boolean, raw: unknown) {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const place = { channel, ...(direct ? { channel_type: 'mpim' } : {}) };
  const created = asEnvelope(team, { ...raw, ...place, type: 'message' }, 'message');
  if (!created) return undefined;
  const change = { type: 'message', subtype: 'message_changed', ...place, message: { ...raw, ...place } };
  const edited = 'edited' in raw && raw.edited ? asEnvelope(team, change, 'message-edited') : undefined;
  return {
    ts: created.event.message.ts,
    created,
    edited,
    /** Returns the change by which it lost these files. */
    lostFiles: (ids: readonly string[]) => {
      const previous = { ...change.message, files: ids.map((id) => ({ id })) };
      return asEnvelope(team, { ...change, previous_message: previous }, 'message-edited');
    },
    /** For a thread's parent, the timestamp of its newest reply. */
    latestReply: 'latest_reply' in raw && typeof raw.latest_reply === 'string' ? raw.latest_reply : undefined,
    reactions: parseListedReactions(raw),
  };
}

/** Returns the deletion of a message that no longer exists. */
export function asDeletion(
  { team, channel, ts }: ChatPlace,
  root: string,
): Envelope<EventOf<'message-deleted'>> {
  const event = {
    type: 'message',
    subtype: 'message_deleted',
    channel,
    deleted_ts: ts,
    previous_message: { ts, thread_ts: root },
  };
  const envelope = asEnvelope(team, event, 'message-deleted');
  if (!envelope) throw new Error('a deletion of our own cannot be read');
  return envelope;
}

/** Returns a reaction that was added or removed, whose time is not listed; none if it is Slack's own. */
export function asReaction(
  { team, channel, ts }: ChatPlace,
  { user, name, added, eventTs }: { user: string; name: string; added: boolean; eventTs: string },
): Envelope<EventOf<'reaction'>>[] {
  const event = {
    type: added ? 'reaction_added' : 'reaction_removed',
    user,
    reaction: name,
    event_ts: eventTs,
    item: { type: 'message', channel, ts },
  };
  const envelope = asEnvelope(team, event, 'reaction');
  return envelope ? [envelope] : [];
}

function asEnvelope<Kind extends ChatEvent['kind']>(
  team: string,
  event: object,
  kind: Kind,
): Envelope<EventOf<Kind>> | undefined {
  const body = { type: 'event_callback', team_id: team, event_id: 'found', event };
  const parsed = parseChatEvent(body);
  return parsed?.kind === kind ? { body, event: parsed as EventOf<Kind> } : undefined;
}

/** Stores what was missed like events of Slack; returns how many were new. */
export async function storeFinds(bridge: Bridge, finds: readonly Envelope[]): Promise<number> {
  const stored = await Promise.all(finds.map((envelope) => bridge.inbox.chat(envelope)));
  const found = finds.filter((_, n) => stored[n] === 'new');
  for (const { event } of found)
    bridge.log.warn(
      { event: 'reconcile.found', kind: event.kind, key: event.key },
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
