import type { Bridge } from '../bridge.ts';
import { ChatError } from '../chat/errors.ts';
import { type OutboxBody, type OutboxRow, plan } from '../chat/outbox.ts';
import type { Call } from '../chat/send.ts';
import type { ChatWriter } from '../chat/writer.ts';
import { enqueueMirror } from '../intake/store.ts';
import { type Conversation, moveTalk } from '../links/conversations.ts';
import { roomName } from '../links/ids.ts';
import { chatUsersOf, personOf } from '../links/people.ts';
import { teamOf } from '../links/team.ts';

type Room = Extract<OutboxBody, { kind: 'room' }>;

/** Names that are tried before another place is taken. */
const NAMES = 20;
/** Chat's clock and ours may differ by this much. */
const SKEW_MS = 300_000;
/** https://docs.slack.dev/reference/methods/conversations.invite */
const INVITED_AT_MOST = 1_000;
/** https://docs.slack.dev/reference/methods/conversations.open: without the bot itself. */
const GROUP_AT_MOST = 8;

/**
 * Takes a private ticket's talk to a place of its own (B8, B11): a private channel with requester, reactor and the
 * queue's team; where chat refuses that, or the requester is a guest, a direct conversation with as many of them as it
 * holds; else one with the requester. Every step may be repeated: a channel of an earlier attempt is known by its name,
 * its maker and its age.
 */
export function roomCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: Room,
  conversation: Conversation,
): Call | undefined {
  if (!conversation.moving) return undefined;
  let place: { channel: string; room: boolean } | undefined;
  return {
    methods: body.channel
      ? ['conversations.create', 'conversations.invite', 'conversations.open']
      : ['conversations.open'],
    make: async () => {
      place = await openPlace(bridge, writer, row, body);
      return place.channel;
    },
    after: async (tx) => {
      if (!place) return;
      await moveTalk(tx, conversation, place);
      const { id, team_id: team, ticket_id } = conversation;
      await plan(tx, bridge, { conversationId: id, team, channel: place.channel }, [{ kind: 'begin' }]);
      if (ticket_id) await enqueueMirror(tx, id, ticket_id);
    },
  };
}

async function openPlace(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  body: Room,
): Promise<{ channel: string; room: boolean }> {
  const [requester = ''] = body.people;
  if (!body.channel) return { channel: await writer.openDirect([requester]), room: false };
  const people = await peopleOf(bridge, body);
  const { is_guest: isGuest } = await personOf(bridge, row.team_id, requester);
  if (!isGuest)
    try {
      const channel = await ownChannel(bridge, writer, row, body.code);
      // Without its requester it would be no place for the talk: then another one is taken.
      await writer.invite(channel, [requester]);
      if (people.length > 1) await writer.invite(channel, people.slice(0, INVITED_AT_MOST));
      return { channel, room: true };
    } catch (error) {
      if (!isRefused(error)) throw error;
      bridge.log.info({ event: 'room.refused', err: error }, 'chat gives no private channel for a ticket');
    }
  try {
    return { channel: await writer.openDirect(people.slice(0, GROUP_AT_MOST)), room: false };
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { channel: await writer.openDirect([requester]), room: false };
  }
}

/** Chat itself said no: `restricted_action`, somebody who cannot be there. */
function isRefused(error: unknown): boolean {
  return error instanceof ChatError && error.next === 'give-up';
}

/** Requester, reactor, then the team. */
async function peopleOf(bridge: Bridge, { people, queue }: Room): Promise<string[]> {
  const team = await teamOf(bridge, queue);
  const assignees = await chatUsersOf(bridge, [...team.userIds]);
  return [...new Set([...people, ...team.chatUserIds, ...assignees.values()])].filter(
    (user) => user !== bridge.bot.userId,
  );
}

/** Makes the ticket's private channel, or finds the one that an earlier attempt has made. */
async function ownChannel(
  { chat, bot }: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  code: string,
): Promise<string> {
  for (let n = 1; n <= NAMES; n++)
    try {
      return await writer.createPrivate(roomName(code, n));
    } catch (error) {
      if (!(error instanceof ChatError && error.code === 'name_taken')) throw error;
      const since = new Date(row.planned_at.getTime() - SKEW_MS);
      const own = await chat.ownChannel(roomName(code, n), bot.userId, since);
      if (own) return own;
    }
  throw new ChatError('every name for the private channel is taken', { next: 'give-up', certain: true });
}
