import { FIELDS, MODALS, type ModalContext, readContext } from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import { actsOf, type Changes, changesOf } from './manage-rules.ts';
import { may } from '../../tickets/may-rules.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { ChatSubmission } from '../../slack/interaction.ts';
import type { Turn } from '../../inbox/turn.ts';
import { type Person, personOf } from '../../people/people.ts';
import { chatToMarkdown } from '../../text/from-chat.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';
import { readTicket, type Ticket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { closeOrReopen, refusalFor, refusalText } from '../../tickets/act.ts';
import { setGroup } from '../../tickets/set-group.ts';
import { standingOf } from '../../tickets/standing.ts';
import { tellInPlace } from '../../threads/tell-in-place.ts';
import { updateTicket } from '../../tickets/update-ticket.ts';
import { writeMessage } from '../../threads/write-message.ts';

type Outcome = Answer & { refused?: boolean };

/**
 * Handles a submitted modal: it closes at once, because its input is stored; the effect is visible on the card and in
 * the thread, and errors are reported where the modal was opened (B25).
 */
export async function submitModal(bridge: Bridge, turn: Turn<EventOf<'submission'>>): Promise<void> {
  const { submission } = turn.event;
  const context = readContext(submission.metadata);
  const work = WORK[submission.callbackId];
  if (!context || !work) return turn.finish('not a modal of ours');
  const { channel, thread } = context;
  const { team, user } = submission;
  await answerInTime(
    bridge,
    turn,
    tellInPlace(bridge, { team, channel, user, thread }),
    { changes: true, outcome: `B25 ${submission.callbackId}`, seen: true },
    async () => {
      const ticket = await readTicket(bridge, context.ticket);
      if (!ticket) return { text: TICKET_GONE, refused: true };
      const person = await personOf(bridge, team, user);
      return work(bridge, turn, { ticket, person, context, submission });
    },
  );
}

interface Submitted {
  ticket: Ticket;
  person: Person;
  context: ModalContext;
  submission: ChatSubmission;
}

const WORK: Record<string, (bridge: Bridge, turn: Turn<unknown>, submitted: Submitted) => Promise<Outcome>> =
  {
    [MODALS.manage]: saveManaged,
    [MODALS.own]: (bridge, _turn, { ticket, person, context: { act = 'close' } }) =>
      closeOrReopen(bridge, ticket, person, act),
    [MODALS.details]: addDetails,
    [MODALS.reply]: sendReply,
  };

async function saveManaged(
  bridge: Bridge,
  _turn: Turn<unknown>,
  { ticket, person, submission }: Submitted,
): Promise<Outcome> {
  const changes = changesOf(submission.initial, submission.values);
  const standing = await standingOf(bridge, ticket, person);
  if (!standing.sees || !actsOf(changes).every((act) => may(act, standing)))
    return { text: refusalText(ticket, standing), refused: true };
  const data = await dataOf(bridge, person, changes);
  if ('refused' in data) return data;
  if (Object.keys(data).length > 0) await updateTicket(bridge, person.user_id, ticket.id, data);
  return { text: `${escapeChat(ticket.code)} is saved.` };
}

type Data = Parameters<Bridge['service']['updateTicket']>[0]['body']['data'];

/** Returns the changes for the service, with the user instead of the chat user. */
async function dataOf(
  bridge: Bridge,
  { team_id: team }: Person,
  { assigneeId: chosen, ...changes }: Changes,
): Promise<Data | (Outcome & { refused: true })> {
  const data = changes as Data;
  if (chosen === undefined) return data;
  if (chosen === null) return { ...data, assigneeId: null };
  const assignee = await personOf(bridge, team, chosen);
  if (assignee.user_id === null || assignee.is_bot)
    return { text: `Tickets cannot be assigned to ${escapeChat(assignee.name)}.`, refused: true };
  return { ...data, assigneeId: assignee.user_id };
}

async function sendReply(bridge: Bridge, turn: Turn<unknown>, submitted: Submitted): Promise<Outcome> {
  const refusal = await refusalFor(bridge, submitted.ticket, submitted.person, 'reply');
  return refusal ?? write(bridge, turn, submitted, 'Your reply is sent.');
}

/** A requester's details are a reply in their thread (B22, B25). */
async function addDetails(bridge: Bridge, turn: Turn<unknown>, submitted: Submitted): Promise<Outcome> {
  const { ticket, person } = submitted;
  const standing = await standingOf(bridge, ticket, person);
  if (!standing.sees) return { text: refusalText(ticket, standing), refused: true };
  const written = await write(bridge, turn, submitted, 'Your details are added.');
  if (!written.refused && standing.isRequester && hasEnded(ticket.status.statusGroup.label))
    await setGroup(bridge, ticket, 'Open', person.user_id);
  return written;
}

async function write(
  bridge: Bridge,
  turn: Turn<unknown>,
  { ticket, person, submission }: Submitted,
  done: string,
): Promise<Outcome> {
  const typed = submission.values[FIELDS.reply];
  const text = typeof typed === 'string' ? typed : '';
  const nobody = { user: () => undefined, channel: () => undefined };
  const markdown = chatToMarkdown({ text: escapeChat(text), blocks: [] }, nobody);
  if (markdown.trim() === '') return { text: 'There were no words; nothing was sent.', refused: true };
  const key = `modal ${submission.viewId}`;
  await writeMessage(bridge, turn, ticket.id, person, { kind: 'answer', key, markdown });
  return { text: done };
}
