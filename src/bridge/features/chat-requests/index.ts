// Writes in Slack what workflows of the service ask for, and says what became of it.

import { z } from 'zod';

import { AnsweredError, type Answer } from '../../../client/index.ts';
import type { Bridge } from '../../bridge.ts';
import { type Feature, roundOf, workOf } from '../../feature.ts';
import { messageKind, postKind } from '../../outbox/post-kind.ts';
import { chatUsersOf, usersOf } from '../../people/people.ts';
import { directKey } from '../../slack/ids.ts';
import { LIMITS } from '../../slack/limits.ts';
import { senderIdentity } from '../../slack/post-metadata.ts';
import { findByTicket, requesterThread } from '../../store/conversations.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { escapeShort, markdownToChat } from '../../text/to-chat.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { directWith } from '../../tickets/reach.ts';
import { lineCall } from '../../threads/posts.ts';
import { TURN_MS, turnOf } from './rules.ts';
import {
  type BodyOf,
  type BridgeTx,
  CLASSES,
  type Done,
  type NewWork,
  type Work,
  workFor,
  workKind,
  type Write,
} from '../../work.ts';

type ChatRequest = Answer<'listChatRequests'>['items'][number];

const ROUND = workKind('chat-requests', CLASSES.reminder, z.object({}));
/** The round goes on in a workspace where a page was not all. */
const PAGE = workKind(
  'chat-requests-page',
  CLASSES.reminder,
  z.object({ workspace: z.string(), cursor: z.string() }),
);
type Page = BodyOf<typeof PAGE>;
/** The service is told what became of a request. */
const REPORT = workKind(
  'chat-request-report',
  CLASSES.reminder,
  z.object({ request: z.string(), messageTs: z.string().nullable(), error: z.string().nullable() }),
);
type Report = BodyOf<typeof REPORT>;

/** The service's events are hints; this finds what none told of. */
const EVERY_MS = 60_000;
const AT_ONCE = 200;

const LANE = 'chat-requests';

function round(delayMs: number): NewWork {
  return workFor(ROUND, LANE, {}, { mergeKey: 'chat-requests', delayMs });
}

/** One at a time in a workspace: a round that begins meanwhile reads what is new, which comes last, with this one. */
function nextPage(page: Page): NewWork {
  return workFor(PAGE, LANE, page, { mergeKey: `chat-requests-page:${page.workspace}` });
}

function report(body: Report): NewWork {
  return workFor(REPORT, `chat-request ${body.request}`, body, { eventKey: `chat-request ${body.request}` });
}

const KIND = 'chat-request';
const REACTION = 'chat-request-reaction';
const Body = z.object({
  request: z.string(),
  text: z.string(),
  blocks: z.array(z.unknown()),
  workflow: z.string(),
});

/** Plans what is new on the first page of each workspace, and the next round. */
async function workRound(bridge: Bridge): Promise<Done> {
  const pages: PageRead[] = [];
  for (const workspace of await bridge.channels.workspaceIds())
    pages.push(await readPage(bridge, { workspace, cursor: undefined }));
  const further = pages.flatMap(({ next }) => next ?? []);
  return planned(
    pages.flatMap(({ writes }) => writes),
    // The lane keeps its order: the next round is behind the last page.
    further.length > 0 ? further.map(nextPage) : [round(EVERY_MS)],
  );
}

/** Plans what is new on a further page. */
async function workPage(bridge: Bridge, { body }: Work<Page>): Promise<Done> {
  const { writes, next } = await readPage(bridge, body);
  return planned(writes, [next ? nextPage(next) : round(EVERY_MS)]);
}

function planned(writes: readonly Write[], work: readonly NewWork[]): Done {
  return {
    outcome: `${writes.length} planned`,
    write: async (tx) => {
      for (const write of writes) await write(tx);
      tx.plan.add(...work);
    },
  };
}

interface PageRead {
  /** The writes that plan posts for new requests. */
  writes: Write[];
  next: Page | undefined;
}

async function readPage(
  bridge: Bridge,
  { workspace, cursor }: { workspace: string; cursor: string | undefined },
): Promise<PageRead> {
  const { items, nextCursor } = await listPending(bridge, workspace, cursor);
  const writes: Write[] = [];
  for (const request of await withoutPlanned(bridge, items)) {
    const channel = await channelOf(bridge, request);
    // The bridge of another Slack workspace may have it; else the service waits for a day.
    if (channel !== undefined) writes.push(planOf(bridge, request, channel));
  }
  return { writes, next: nextCursor === null ? undefined : { workspace, cursor: nextCursor } };
}

/** Returns a page of a workspace's requests, the oldest first; an empty one of a service that has no workflows. */
async function listPending(
  { service }: Bridge,
  workspaceId: string,
  cursor: string | undefined,
): Promise<Pick<Answer<'listChatRequests'>, 'items' | 'nextCursor'>> {
  try {
    return await service.listChatRequests({
      query: { workspaceId, state: 'pending', limit: AT_ONCE, cursor },
    });
  } catch (error) {
    if (error instanceof AnsweredError && error.missing) return { items: [], nextCursor: null };
    throw error;
  }
}

async function withoutPlanned(
  { database }: Bridge,
  requests: readonly ChatRequest[],
): Promise<ChatRequest[]> {
  if (requests.length === 0) return [];
  const known = await database.db
    .selectFrom('reminder')
    .select('kind')
    .where('kind', 'in', requests.map(kindOf))
    .execute();
  return requests.filter((request) => !known.some(({ kind }) => kind === kindOf(request)));
}

/** Returns the kind under which a planned request is recorded, like a sent reminder. */
const kindOf = ({ id }: Pick<ChatRequest, 'id'>) => `${KIND} ${id}`;

function planOf(bridge: Bridge, request: ChatRequest, channel: string): Write {
  const { id, ticketId, createdAt } = request;
  return async (tx) => {
    await tx
      .insertInto('reminder')
      .values({
        // A run by a schedule has no ticket; the record needs something in its place.
        ticket_id: ticketId ?? id,
        kind: kindOf(request),
        at: new Date(createdAt),
        sent_at: bridge.clock.now(),
      })
      .execute();
    const { team } = bridge.bot;
    const place = { conversationId: null, team, channel, orderingKey: directKey(team, channel) };
    await planPosts(tx, bridge, place, [postOf(request)]);
  };
}

function postOf({ id: request, content, reactsTo, workflowName: workflow }: ChatRequest) {
  if (reactsTo) return { kind: featureKind(REACTION), request, ts: reactsTo, emoji: content };
  return { kind: featureKind(KIND), request, ...onePostOf(content), workflow };
}

/**
 * Returns a text as one post, which mentions nobody. What Slack would not take as one, with many styles or a wide
 * table, is shown as it was written.
 */
function onePostOf(content: string): { text: string; blocks: unknown[] } {
  const [part, ...more] = markdownToChat(content, () => undefined);
  if (part && more.length === 0) return part;
  return { text: escapeShort(content, LIMITS.postCharacters), blocks: [] };
}

/** Returns where it is written; undefined for what is not of this Slack workspace, or is left to another one. */
async function channelOf(bridge: Bridge, request: ChatRequest): Promise<string | undefined> {
  const { chatChannelId, userId } = request;
  if (chatChannelId !== null)
    return (await bridge.channels.linksOf(chatChannelId)).length > 0 ? chatChannelId : undefined;
  if (userId === null) return undefined;
  const account = (await chatUsersOf(bridge, [userId])).get(userId);
  if (account === undefined || (await isLeftToAnother(bridge, request, userId))) return undefined;
  return directWith(bridge, account);
}

/** Returns whether another Slack workspace in which a person has an account, too, is to write to them for now. */
async function isLeftToAnother(
  bridge: Bridge,
  { ticketId, createdAt }: ChatRequest,
  userId: string,
): Promise<boolean> {
  const [user] = await usersOf(bridge, [userId]);
  const teams = (user?.chatUsers ?? []).flatMap(({ chatTeamId }) => chatTeamId ?? []);
  const { bot, clock } = bridge;
  if (teams.every((team) => team === bot.team)) return false;
  const turn = turnOf(bot.team, { teams, thread: await threadOf(bridge, ticketId) });
  return clock.now().getTime() < Date.parse(createdAt) + turn * TURN_MS;
}

/** Returns where the thread of a ticket is, seen from this Slack workspace. */
async function threadOf(bridge: Bridge, ticketId: string | null): Promise<'here' | 'elsewhere' | 'none'> {
  if (ticketId === null) return 'none';
  if (await findByTicket(bridge.database.db, ticketId)) return 'here';
  const ticket = await readTicket(bridge, ticketId);
  return ticket && requesterThread(ticket) ? 'elsewhere' : 'none';
}

const requestPost = messageKind(
  KIND,
  'reply',
  Body,
  async (bridge, writer, row, { request, text, blocks, workflow }) => ({
    ...(await lineCall(bridge, writer, row, {
      text,
      blocks,
      as: senderIdentity(`Workflow: ${workflow}`, null, ':gear:'),
    })),
    after: async (tx, ts) => {
      if (ts !== undefined) tx.plan.add(report({ request, messageTs: ts, error: null }));
    },
  }),
);

const ReactionBody = z.object({ request: z.string(), ts: z.string(), emoji: z.string() });

/** An emoji on a post: added again, it stays one. */
const requestReaction = postKind(
  REACTION,
  'reply',
  ReactionBody,
  (_bridge, writer, { channel_id: channel }, { request, ts, emoji }) => ({
    methods: ['reactions.add'],
    make: async () => {
      await writer.react(channel, ts, emoji);
      return ts;
    },
    after: async (tx) => tx.plan.add(report({ request, messageTs: ts, error: null })),
    gone: async (tx) => tx.plan.add(report({ request, messageTs: null, error: NO_REACTION })),
  }),
);

const NO_REACTION =
  'Slack did not take it: the post is gone, there is no such emoji, or the app is not in the channel.';

/** Slack will never accept it: archived, or the bot is not there. */
async function reportFailure(tx: BridgeTx, row: { kind: string; body: unknown }): Promise<void> {
  if (row.kind !== KIND && row.kind !== REACTION) return;
  const { request } = z.object({ request: z.string() }).parse(row.body);
  const error =
    row.kind === REACTION
      ? NO_REACTION
      : 'Slack did not take it: the channel is archived, or the app is not in it.';
  tx.plan.add(report({ request, messageTs: null, error }));
}

async function workReport({ service }: Bridge, { body }: Work<Report>): Promise<Done> {
  const { request: id, messageTs, error } = body;
  try {
    await service.answerChatRequest({ params: { id }, body: { messageTs, error } });
  } catch (cause) {
    // Its run is gone.
    if (!(cause instanceof AnsweredError && cause.status === 404)) throw cause;
  }
  return { outcome: messageTs === null ? 'failed' : 'posted' };
}

export const chatRequests: Feature = {
  posts: [requestPost, requestReaction],
  works: () => [
    roundOf(ROUND, workRound, () => round(EVERY_MS)),
    roundOf(PAGE, workPage, () => round(EVERY_MS)),
    workOf(REPORT, workReport),
  ],
  begin: ({ engine }) => engine.transaction(async (tx) => tx.plan.add(round(0))),
  hooks: () => ({
    postsRequested: async (tx) => tx.plan.add(round(0)),
    postFailed: reportFailure,
  }),
};
