import { AnsweredError } from '../../client/index.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import { plan } from '../outbox/outbox.ts';
import { codeIn } from './link-code-rules.ts';
import { codeAmong, forgetCode, type LinkCode, openCodes, spendCode } from './link-codes.ts';
import { linkPerson } from './link-person.ts';
import { findPerson, type Person } from './people.ts';
import { userName } from './user-name.ts';
import { escapeMarkdown } from '../../platform/text/markdown.ts';
import { usersOf } from './users.ts';
import { escapeChat } from '../text/to-chat.ts';
import { addNote } from '../tickets/add-note.ts';
import { type Begun, SKEW_MS } from '../tickets/create-once.ts';
import { messagesOf, type TicketMessage } from '../threads/ticket-messages.ts';

/**
 * Links whoever proved at the desk, in a note on this ticket, that a chat account is theirs (`/ticket link-me`). The
 * account is told in chat, and a note that answers it tells the team. Run again after a stop, it does what is left.
 */
export async function claimAccounts(bridge: Bridge, begun: Begun, ticketId: string): Promise<void> {
  const codes = await openCodes(bridge);
  const [oldest] = codes;
  // Next to never is somebody linking themselves: then this costs one look into our own table.
  if (!oldest) return;
  const updatedFrom = new Date(oldest.created_at.getTime() - SKEW_MS).toISOString();
  for (const message of await messagesOf(bridge, ticketId, { updatedFrom })) {
    const code = codeIn(message);
    const open = code === undefined ? undefined : codeAmong(codes, code);
    if (open) await claim(bridge, begun, open, message);
  }
}

async function claim(bridge: Bridge, begun: Begun, code: LinkCode, message: TicketMessage): Promise<void> {
  const { database, log } = bridge;
  const isLinked = code.message_id !== null;
  // Another note was first.
  if (isLinked && code.message_id !== message.id) return;
  const person = await findPerson(bridge, code.team_id, code.chat_user_id);
  const userId = message.authorId ?? '';
  if (!person || (await isFromChat(bridge, message.id))) return;
  const [user] = await usersOf(bridge, [userId]);
  // A program's user is nobody to speak as: the bridge's own key writes as one.
  if (!user || user.isBot) return;
  const name = userName(user) ?? userId;
  if (!isLinked && !(await linkNow(bridge, code, message, person, name))) return;
  try {
    await addNote(
      bridge,
      // The note of a link that was made before may stand already.
      isLinked ? { ...begun, firstAttempt: false } : begun,
      message.ticketId,
      `linked ${code.code_hash}`,
      `The chat account ${escapeMarkdown(person.name)} (${person.chat_user_id}) speaks as ${escapeMarkdown(name)} from now on, as this user asked above. If that is wrong: \`deskbridge people unlink ${person.chat_user_id}\`.`,
    );
  } catch (error) {
    // A note that the service does not take keeps nobody's words from chat.
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    log.warn({ event: 'person.linked-untold', err: error }, 'the service took no note of a link');
  }
  await forgetCode(database.db, code);
}

/** Makes the link and uses the code up, in one; false where somebody was first. */
async function linkNow(
  bridge: Bridge,
  code: LinkCode,
  message: TicketMessage,
  person: Person,
  name: string,
): Promise<boolean> {
  const userId = message.authorId ?? '';
  const direct = await bridge.chat.directChannel(person.chat_user_id).catch((error: unknown) => {
    // What is said about it in chat is a courtesy; `/ticket link-me` says it too (B0a).
    if (error instanceof ChatError) return undefined;
    throw error;
  });
  const linked = await transaction(bridge.database.db, async (tx) => {
    if (!(await spendCode(tx, code, message.id))) return false;
    await linkPerson(tx, person, userId, 'self');
    if (direct === undefined) return true;
    const text = `From now on you speak on tickets as *${escapeChat(name)}*.`;
    await plan(tx, bridge, { conversationId: null, team: person.team_id, channel: direct }, [
      { kind: 'line', text },
    ]);
    return true;
  });
  if (linked)
    bridge.log.info(
      { event: 'person.linked', chatUser: person.chat_user_id, user: userId, by: 'self' },
      'a chat account was linked by a code written at the desk',
    );
  return linked;
}

/** A message that chat brought proves nothing, also where the service does not say where it came from. */
async function isFromChat({ database }: Bridge, ticketMessageId: string): Promise<boolean> {
  const link = await database.db
    .selectFrom('message_link')
    .select('id')
    .where('ticket_message_id', '=', ticketMessageId)
    .where('origin', '=', 'chat')
    .executeTakeFirst();
  return link !== undefined;
}
