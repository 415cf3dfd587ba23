import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { type OpenRequest, plan } from '../outbox/outbox.ts';
import { respond } from '../slack/respond.ts';
import { titleOf } from './title-rules.ts';
import type { ChatCommand } from '../slack/chat-event.ts';
import type { Turn } from '../inbox/turn.ts';
import { conversationOf } from '../threads/conversations.ts';
import { personOf } from '../people/people.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { chatToMarkdown } from '../text/from-chat.ts';
import { escapeChat, markdownToChat, markdownWords } from '../text/to-chat.ts';
import { tellFollowUp } from '../threads/follow-up.ts';
import { isWatched, WATCHED } from './watched.ts';
import { NO_QUEUE, openTicket, refusalOf } from './open-ticket.ts';
import { GuestError, NO_GUESTS, refuseGuest } from './refuse-guest.ts';
import { signed } from '../threads/speaker.ts';
import { ticketLink } from './ticket-facts.ts';

/**
 * Plans the parent message of a ticket requested by command: in a linked channel under the requester's name, elsewhere
 * in a direct message, and then the ticket is private (B1). The ticket opens once the parent is posted.
 */
export async function planNewTicket(
  bridge: Bridge,
  { team, channel, user, responseUrl }: ChatCommand,
  text: string,
): Promise<{ refusal: string } | { record(tx: Tx<BridgeTables>): Promise<void> }> {
  const person = await personOf(bridge, team, user);
  const home = await bridge.channels.of(channel);
  if (!home) return { refusal: NO_QUEUE };
  if (isWatched(home)) return { refusal: WATCHED };
  try {
    await refuseGuest(bridge, person, home);
  } catch (error) {
    if (error instanceof GuestError) return { refusal: NO_GUESTS };
    throw error;
  }
  const place = home.linked ? channel : await bridge.chat.directChannel(user);
  const description = chatToMarkdown(
    { text: escapeChat(text), blocks: [] },
    { user: () => undefined, channel: () => undefined },
  );
  const [part] = markdownToChat(description, () => undefined);
  if (!part) return { refusal: 'A ticket needs some words.' };
  const open: OpenRequest = {
    title: titleOf(markdownWords(description)),
    description: signed(person, description),
    requester: user,
    private: !home.linked,
    responseUrl,
  };
  return {
    record: (tx) =>
      plan(tx, bridge, { conversationId: null, team, channel: place }, [
        { kind: 'root', text: part.text, blocks: part.blocks, as: { name: person.name }, open },
      ]),
  };
}

/** The parent of a command's ticket was posted: opens the ticket on it, and answers the user. */
export async function openRequested(bridge: Bridge, turn: Turn<OpenRequest>): Promise<void> {
  const { event: request } = turn;
  const conversation = await conversationOf(bridge.database.db, turn);
  if (conversation.ticket_id) return turn.finish('B2 this thread has its ticket');
  try {
    const opened = await openTicket(bridge, turn, {
      conversation,
      askedBy: request.requester,
      requestedBy: request.requester,
      title: request.title,
      description: request.description,
      mentions: [],
      describedBy: conversation.thread_ts,
      private: request.private,
      parentId: request.follows?.ticket,
    });
    const why = request.follows ? 'B22 follow-up' : 'B1 command';
    await turn.finish(`${why}: opened ${opened.ticket.code}`, async (tx) => {
      await opened.record(tx);
      await tellFollowUp(tx, bridge, request, opened.ticket.code);
    });
    const where = request.private ? 'in our direct messages' : 'in this channel';
    if (request.responseUrl)
      await respond(bridge, request.responseUrl, {
        text: `${ticketLink(bridge, opened.ticket.code)} is open; the conversation is in its thread ${where}.`,
      });
  } catch (error) {
    const tell = async (text: string) => {
      if (request.responseUrl) await respond(bridge, request.responseUrl, { text });
    };
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      await turn.finish('B7 or B2: told why no ticket was opened');
      return tell(refusal);
    }
    if (turn.attempt === 1)
      await tell(
        'Your message stands; its ticket opens as soon as the help desk’s service answers. I will tell you here.',
      );
    throw error;
  }
}
