import pg from 'pg';

import type { Client } from '../../src/client/index.ts';
import { type TeamThread, teamThread } from '../../src/contract/index.ts';
import type { Chat } from './chat.ts';
import {
  type ChatHistory,
  checkHistory,
  type Place,
  type RecordedTicket,
  type TicketHistory,
  type Violation,
} from './history.ts';

/** Both sides and the bridge, with no work left. */
export interface Sides {
  /** The sandbox. */
  chat: Chat;
  /** The client through which tests act at the desk; see `recordChanges`. */
  service: Client;
  /** DATABASE_URL: where the bridge stores dead letters. CHAT_POSTS_PER_SECOND: its rate limit. */
  environment: Record<string, string>;
  /** Several bridges share the work, so events may be processed in another order. */
  replicas?: boolean;
}

/** The state of a sandbox workspace, as far as the history needs it. */
interface State {
  workspaces: { id: string; domain: string }[];
  apps: { botUserId: string; botId: string }[];
  users: {
    id: string;
    name: string;
    real_name: string;
    display_name: string;
    is_bot: boolean;
    role: string;
    team_id?: string;
  }[];
  channels: { id: string; name: string; kind: Place['kind'] }[];
}

/** An entry of the sandbox's log. */
export interface LogEntry {
  seq: number;
  at: string;
  kind: string;
  team?: string;
  method?: string;
  /** Of a call, whether Slack did it. */
  ok?: boolean;
  args?: { channel?: string; ts?: string; text?: string };
  retry_attempt?: number;
  delivery?: number;
}

/** Changes that a test made as an agent at the desk, which the bridge cannot undo. */
interface DeskChanges {
  edited: Set<string>;
  deleted: Set<string>;
  /** Messages whose visibility was changed. */
  visibilityChanged: Set<string>;
}

const changesByClient = new WeakMap<Client, DeskChanges>();

/** The same client, which records edits and deletions: chat cannot follow all of them (B13, B14). */
export function recordChanges(client: Client): Client {
  const changes: DeskChanges = { edited: new Set(), deleted: new Set(), visibilityChanged: new Set() };
  const recording: Client = {
    ...client,
    updateTicketMessage: (input, options) => {
      const { content, private: isPrivate } = input.body;
      if (typeof content === 'string') changes.edited.add(input.params.id);
      if (typeof isPrivate === 'boolean') changes.visibilityChanged.add(input.params.id);
      return client.updateTicketMessage(input, options);
    },
    deleteTicketMessage: (input, options) => {
      changes.deleted.add(input.params.id);
      return client.deleteTicketMessage(input, options);
    },
  };
  changesByClient.set(recording, changes);
  return recording;
}

/** The current state of both sides. */
export async function historyOf({
  chat,
  service,
  environment,
  replicas = false,
}: Sides): Promise<{ chat: ChatHistory; tickets: TicketHistory }> {
  const undelivered = await deadLettersIn(environment['DATABASE_URL'] ?? '');
  const inChat = await chatHistory(chat);
  const gapMs = 1_000 / Number(environment['CHAT_POSTS_PER_SECOND'] ?? 1);
  return {
    chat: { ...inChat, isInOrder: inChat.isInOrder && !replicas, undelivered: undelivered.chat, gapMs },
    tickets: {
      ...(await ticketHistory(service)),
      undelivered: undelivered.tickets,
      retried: undelivered.retried,
    },
  };
}

/** Fails with every violation in the history of a world; see `checkHistory`. */
export async function assertHistory(sides: Sides): Promise<void> {
  const { chat, tickets } = await historyOf(sides);
  const violations = checkHistory(chat, tickets);
  if (violations.length > 0) throw new HistoryError(violations);
}

/** The two sides differ from what was written on them. */
export class HistoryError extends Error {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ kind, of, what }) => `  ${kind}: ${of}: ${what}`);
    super(`what was said is not the same on both sides:\n${lines.join('\n')}`);
    this.name = 'HistoryError';
    this.violations = violations;
  }
}

async function chatHistory(chat: Chat): Promise<Omit<ChatHistory, 'undelivered' | 'gapMs'>> {
  const { workspaces } = await chat.read<State>('state');
  const appIds = new Set<string>();
  const people = new Map<string, ChatHistory['people'][number]>();
  const places = new Map<string, Place>();
  for (const { id: team } of workspaces) {
    const workspace = chat.inWorkspace(team);
    const { apps, users, channels } = await workspace.read<State>('state');
    for (const { botUserId, botId } of apps) appIds.add(botUserId).add(botId);
    for (const { id, name, real_name, display_name, is_bot, role, team_id } of users)
      people.set(id, {
        id,
        names: [name, real_name, display_name],
        isBot: is_bot,
        isGuest: /guest/.test(role) || team_id !== undefined,
      });
    for (const { id, name, kind } of channels)
      if (!places.has(id)) places.set(id, { id, name, kind, messages: await workspace.messages(id) });
  }
  appIds.delete('');
  return { appIds, people: [...people.values()], places: [...places.values()], ...(await journalOf(chat)) };
}

/** The sandbox's log; it keeps the latest 2,000 entries. */
export async function logOf(chat: Chat): Promise<LogEntry[]> {
  return (await chat.read<{ entries: LogEntry[] }>('log', { limit: '2000' })).entries;
}

async function journalOf(chat: Chat): Promise<Pick<ChatHistory, 'postedTexts' | 'postCalls' | 'isInOrder'>> {
  const entries = await logOf(chat);
  const postedTexts = entries.flatMap(({ kind, method, args }) =>
    kind === 'api_call' && /^chat\.(postMessage|update)$/.test(method ?? '')
      ? [{ channel: args?.channel ?? '', text: args?.text ?? '' }]
      : [],
  );
  // If a test moves chat's clock, the log does not show the rate of posts.
  const postCalls = entries.some(({ kind }) => kind === 'clock')
    ? []
    : entries.flatMap(({ method, team = '', args, at }) =>
        method === 'chat.postMessage' && args?.channel !== undefined
          ? [{ channel: `${team} ${args.channel}`, at: new Date(at).getTime() }]
          : [],
      );
  const isComplete = (entries[0]?.seq ?? 1) === 1;
  const isInOrder =
    isComplete &&
    !entries.some(
      ({ kind, retry_attempt: retry = 0, delivery }) =>
        kind === 'unacked' || kind === 'chaos' || retry > 0 || (kind === 'fault' && delivery !== undefined),
    );
  return { postedTexts, postCalls, isInOrder };
}

async function ticketHistory(service: Client): Promise<Omit<TicketHistory, 'undelivered' | 'retried'>> {
  const messages = new Map<string, RecordedTicket['messages'][number][]>();
  const list = { limit: 1000, sortBy: 'createdAt', sortDirection: 'asc' } as const;
  for await (const message of service.all('listTicketMessages', { query: { ...list, includeDeleted: true } }))
    messages.set(message.ticketId, [...(messages.get(message.ticketId) ?? []), message]);
  const tickets: RecordedTicket[] = [];
  const query = { ...list, includeArchived: true, includeUnpublished: true };
  for await (const ticket of service.all('listTickets', { query }))
    tickets.push({ ...ticket, messages: messages.get(ticket.id) ?? [] });
  const linkedChannels = new Set<string>();
  const triages = new Map<string, { queueId: string; shows: TeamThread }>();
  for await (const { chatTriageChannels } of service.all('listWorkspaces', { query: { limit: 1000 } }))
    for (const { channelId, queueId, type, teamThread: shows, deletedAt } of chatTriageChannels) {
      if (channelId === null || queueId === null || deletedAt !== null) continue;
      if (type !== 'TRIAGE') linkedChannels.add(channelId);
      else triages.set(channelId, { queueId, shows: teamThread.catch('notes').parse(shows) });
    }
  const changes = changesByClient.get(service) ?? {
    edited: new Set(),
    deleted: new Set(),
    visibilityChanged: new Set(),
  };
  const restrictedQueues = new Set<string>();
  for await (const { id, visibility } of service.all('listQueues', { query: { limit: 1000 } }))
    if ((visibility ?? 'workspace') !== 'workspace') restrictedQueues.add(id);
  return { tickets, linkedChannels, triages, restrictedQueues, ...changes };
}

/**
 * The dead letters that need a retry by hand, and the ticket messages that were retried by hand (B49); the
 * bridge has a schema for each workspace.
 */
async function deadLettersIn(
  databaseUrl: string,
): Promise<Record<'chat' | 'tickets' | 'retried', Set<string>>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const undelivered = { chat: new Set<string>(), tickets: new Set<string>(), retried: new Set<string>() };
  try {
    const { rows: schemas } = await client.query<{ name: string }>(
      `select table_schema as name from information_schema.tables where table_name = 'message_link'`,
    );
    for (const { name } of schemas) {
      const schema = pg.escapeIdentifier(name);
      const { rows: events } = await client.query<{ channel: string; ts: string }>(`
        select coalesce(inbox.body -> 'message', inbox.body -> 'place') ->> 'channel' as channel,
          coalesce(inbox.body -> 'message', inbox.body -> 'place') ->> 'ts' as ts
        from ${schema}.inbox join ${schema}.work on work.kind in ('event', 'personal-event')
          and work.body ->> 'inbox' = inbox.id
        where work.dead_at is not null`);
      for (const { channel, ts } of events) undelivered.chat.add(`${channel} ${ts}`);
      // A discarded post was undelivered before: it keeps its error.
      const { rows: posts } = await client.query<{ id: string; sent: boolean }>(`
        select message_link.ticket_message_id as id, outbox.state = 'sent' as sent
        from ${schema}.outbox join ${schema}.message_link on message_link.id = outbox.body ->> 'link'
        -- An edit that was given up unasked, though its post stands, is no excuse.
        where (outbox.state = 'dead' and not (outbox.kind = 'edit' and sending_since is null and message_link.ts is not null))
          or (outbox.state = 'dropped' and outbox.error is not null)
          or (outbox.state = 'sent' and outbox.reported)`);
      for (const { id, sent } of posts) undelivered[sent ? 'retried' : 'tickets'].add(id);
    }
  } finally {
    await client.end();
  }
  return undelivered;
}
