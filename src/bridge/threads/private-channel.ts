import type { Bridge } from '../bridge.ts';
import { ChatError, isRejected } from '../slack/errors.ts';
import { type CorePost, type OutboxRow, planPosts } from '../store/posts.ts';
import type { Call } from '../outbox/post-kind.ts';
import type { ChatWriter } from '../slack/writer.ts';
import { mirrorWork } from '../inbox/store.ts';
import { type Conversation, relocateThread } from '../store/conversations.ts';
import { privateChannelName } from '../slack/ids.ts';
import { chatUsersOf, personOf } from '../people/people.ts';
import { CLOCKS_DIFFER_MS } from '../first-run.ts';
import { teamOfQueue } from '../tickets/find-ticket.ts';

type PrivatePlace = Extract<CorePost, { kind: 'private-place' }>;

/** Names tried before another place is used. */
const NAMES = 5;
/** https://docs.slack.dev/reference/methods/conversations.invite */
const INVITED_AT_MOST = 1_000;
/** https://docs.slack.dev/reference/methods/conversations.open: without the bot itself. */
const GROUP_AT_MOST = 8;

/**
 * Moves a private ticket to its own place (B8, B11): a private channel with requester, reactor and the queue's team; if
 * Slack does not allow that, or requester or reactor is a guest, a group message with as many of them as it holds; else
 * a direct message with the requester. Every step may be repeated: a channel of an earlier attempt is recognised by its
 * name, creator and age, and an abandoned one is archived.
 */
export function privateChannelCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: PrivatePlace,
  conversation: Conversation,
): Call | undefined {
  if (!conversation.relocating) return undefined;
  let place: { channel: string; privateChannel: boolean } | undefined;
  return {
    methods: body.channel
      ? ['conversations.create', 'conversations.invite', 'conversations.archive', 'conversations.open']
      : ['conversations.open'],
    make: async () => {
      place = await openPlace(bridge, writer, row, body);
      return place.channel;
    },
    after: async (tx) => {
      if (!place) return;
      await relocateThread(tx, conversation, place);
      const { id, team_id: team, ticket_id } = conversation;
      await planPosts(tx, bridge, { conversationId: id, team, channel: place.channel }, [
        { kind: 'first-message' },
      ]);
      if (ticket_id) tx.plan.add(mirrorWork(id, ticket_id));
    },
  };
}

async function openPlace(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: PrivatePlace,
): Promise<{ channel: string; privateChannel: boolean }> {
  const [requester = ''] = body.people;
  if (!body.channel) return { channel: await writer.openDirect([requester]), privateChannel: false };
  const team = await otherTeamMembers(bridge, body);
  const named = await Promise.all(body.people.map(async (user) => personOf(bridge, row.team_id, user)));
  if (!named.some(({ is_guest: isGuest }) => isGuest)) {
    const channel = await openChannel(bridge, writer, row, body, team);
    if (channel !== undefined) return { channel, privateChannel: true };
  }
  try {
    const group = [...body.people, ...team].slice(0, GROUP_AT_MOST);
    return { channel: await writer.openDirect(group), privateChannel: false };
  } catch (error) {
    if (!isRejected(error)) throw error;
    return { channel: await writer.openDirect([requester]), privateChannel: false };
  }
}

/**
 * Returns the ticket's private channel with its members; undefined if Slack does not allow it, and then no channel is
 * left.
 */
async function openChannel(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { code, people }: PrivatePlace,
  team: readonly string[],
): Promise<string | undefined> {
  let channel: string | undefined;
  try {
    channel = await ownChannel(bridge, writer, row, code);
    // Without requester and reactor the channel is useless: each is invited separately and must be there.
    for (const user of people) await writer.invite(channel, [user]);
  } catch (error) {
    // As `restricted_action`, or for a user who cannot join (`cant_invite`, `user_is_restricted`, `ura_max_channels`).
    if (!isRejected(error)) throw error;
    bridge.log.info(
      { event: 'private_channel.refused', err: error },
      'Slack created no private channel for a ticket',
    );
    if (channel !== undefined) await unlessRefused(bridge, writer.archive(channel));
    return undefined;
  }
  // Of the team, those who may join: the others have the ticket at the desk.
  if (team.length > 0) await unlessRefused(bridge, writer.invite(channel, team.slice(0, INVITED_AT_MOST)));
  return channel;
}

async function unlessRefused({ log }: Bridge, call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isRejected(error)) throw error;
    log.info(
      { event: 'private_channel.step_refused', err: error },
      'Slack rejected a step of setting up a private channel',
    );
  }
}

/** Returns the queue's team, without the other members. */
async function otherTeamMembers(bridge: Bridge, { people, queue }: PrivatePlace): Promise<string[]> {
  const team = await teamOfQueue(bridge, queue);
  const assignees = await chatUsersOf(bridge, [...team.userIds]);
  return [...new Set([...team.chatUserIds, ...assignees.values()])].filter(
    (user) => user !== bridge.bot.userId && !people.includes(user),
  );
}

/** Creates the ticket's private channel, or finds the one of an earlier attempt. */
async function ownChannel(
  { chat, bot }: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  code: string,
): Promise<string> {
  let own: ReadonlyMap<string, string> | undefined;
  for (let n = 1; n <= NAMES; n++)
    try {
      return await writer.createPrivate(privateChannelName(code, n));
    } catch (error) {
      if (!(error instanceof ChatError && error.code === 'name_taken')) throw error;
      own ??= await chat.ownChannels(bot.userId, new Date(row.planned_at.getTime() - CLOCKS_DIFFER_MS));
      const made = own.get(privateChannelName(code, n));
      if (made !== undefined) return made;
    }
  throw new ChatError('every name for the private channel is taken', { next: 'give-up', certain: true });
}
