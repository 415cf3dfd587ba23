import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { isBlank, PRIORITY_WORD, priority } from '../../../contract/index.ts';
import { moment } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { type NameMatch, matchName, type Act, hasEnded } from '../../tickets/rules.ts';
import { ownSetting } from '../../tickets/own-settings.ts';
import { awayNotes, awayNotesOfMentioned } from '../../people/away.ts';
import { namedPerson } from '../../people/people.ts';
import { mentionedUsers } from '../../text/references.ts';
import { parseWhen, knownZone } from '../../blocks/time.ts';
import { findTicket, type Ticket } from '../../tickets/find-ticket.ts';
import {
  type ActionAnswer,
  actOfStatus,
  closeOrReopen,
  mergeTicket,
  refusalFor,
  setGroup,
  setStatus,
  updateTicket,
} from '../../tickets/update-ticket.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';
import { type CommandRequest, refuse, type Work } from './request.ts';
import { markdownOf } from '../../threads/message-text.ts';
import { writeMessage } from '../../threads/append-message.ts';

type OnTicket = Extract<Work, { onTicket: unknown }>['onTicket'];
const changeOnTicket = (onTicket: OnTicket): Work => ({ changes: true, onTicket });

/** The commands that change a ticket. */
export const changeCommands = {
  /** `/ticket status`: any status for the team, close and reopen for the requester (B25, B33). */
  status: changeOnTicket(async (bridge, { person, words }, ticket) => {
    const statuses = await bridge.statuses.of(ticket);
    const match = matchName(words, statuses);
    if (!match || 'candidates' in match) return severalOf('status', words, match, statuses);
    const refusal = await refusalFor(bridge, ticket, person, actOfStatus(ticket, match.found));
    return refusal ?? setStatus(bridge, ticket, match.found, person.user_id);
  }),

  priority: changeOnTicket(async (bridge, { person, words }, ticket) => {
    const typed = /^no priority$/i.test(words) ? 'none' : words;
    const match = matchName(typed, PRIORITIES);
    if (!match || 'candidates' in match) return severalOf('priority', words, match, PRIORITIES);
    const { id, label } = match.found;
    const word = label.toLowerCase();
    if (ticket.priority === id)
      return { text: `${ticketLink(bridge, ticket.code)} has priority *${word}* already.` };
    return write(bridge, { person, ticket, act: 'priority' }, { priority: id }, `has priority *${word}* now`);
  }),

  /** `/ticket assign`: to oneself, another chat user, or nobody. */
  assign: changeOnTicket(async (bridge, asked, ticket) => {
    const { person, words, escaped } = asked;
    const change = { person, ticket, act: 'assign' as const };
    if (/^(?:nobody|none|no one|noone)$/i.test(words))
      return write(bridge, change, { assigneeId: null }, 'is unassigned');
    const [, user] = /^<@([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(escaped) ?? [];
    if (user === undefined && !/^me$/i.test(words))
      return refuse(
        `I don’t know the user “${escapeMrkdwn(words)}”. Type \`me\`, \`nobody\`, or @ and a name, and pick the person from the list.`,
      );
    const assignee = user === undefined ? person : await namedPerson(bridge, asked.team, user);
    if (!assignee)
      return refuse(`Slack does not know “${escapeMrkdwn(words)}”. Pick a person from the list.`);
    if (assignee.user_id === null || assignee.is_bot)
      return refuse(
        assignee === person
          ? 'You are not a user of the help desk yet, so tickets cannot be assigned to you.'
          : `Tickets cannot be assigned to ${escapeMrkdwn(assignee.name)}. Pick a user of the help desk.`,
      );
    const whom = assignee.user_id === person.user_id ? 'you' : escapeMrkdwn(assignee.name);
    if (ticket.assigneeId === assignee.user_id)
      return { text: `${ticketLink(bridge, ticket.code)} is already assigned to ${whom}.` };
    const answer = await write(
      bridge,
      change,
      { assigneeId: assignee.user_id },
      `is now assigned to ${whom}`,
    );
    return answer.refused ? answer : withNotes(answer, await awayNotes(bridge, [assignee.user_id], person));
  }),

  /** `/ticket close`, also for one's own request. */
  close: changeOnTicket(async (bridge, { person }, ticket) => {
    const refusal = await refusalFor(bridge, ticket, person, 'close');
    if (refusal) return refusal;
    if (ticket.status.statusGroup.label === 'Closed')
      return { text: `${ticketLink(bridge, ticket.code)} is closed already.` };
    await setGroup(bridge, ticket, 'Closed', person.user_id);
    return { text: `${ticketLink(bridge, ticket.code)} is closed.` };
  }),

  /** `/ticket reopen`, also for one's own request. */
  reopen: changeOnTicket(async (bridge, { person }, ticket) => {
    const { label, statusGroup } = ticket.status;
    if (!hasEnded(statusGroup.label))
      return { text: `${ticketLink(bridge, ticket.code)} is not done: it is *${escapeMrkdwn(label)}*.` };
    return closeOrReopen(bridge, ticket, person, 'reopen');
  }),

  snooze: changeOnTicket((bridge, asked, ticket) =>
    setMoment(bridge, asked, ticket, {
      field: 'snoozeUntil',
      act: 'snooze',
      set: 'is snoozed until',
      cleared: 'is no longer snoozed',
      timeOfDay: 'day-begins',
    }),
  ),

  due: changeOnTicket((bridge, asked, ticket) =>
    setMoment(bridge, asked, ticket, {
      field: 'dueAt',
      act: 'due',
      set: 'is due',
      cleared: 'has no due date now',
      timeOfDay: 'day-ends',
    }),
  ),

  private: changeOnTicket((bridge, { person }, ticket) => setPrivate(bridge, person, ticket, true)),

  public: changeOnTicket((bridge, { person }, ticket) => setPrivate(bridge, person, ticket, false)),

  /** `/ticket merge`: the other ticket goes on (B11). */
  merge: changeOnTicket(async (bridge, { person, channel, words }, ticket) => {
    const found = await findTicket(bridge, words, channel, person);
    if ('refusal' in found) return refuse(found.refusal);
    const other = found.ticket;
    for (const one of [ticket, other]) {
      const refusal = await refusalFor(bridge, one, person, 'edit');
      if (refusal) return refusal;
    }
    const [its, others] = [ticketLink(bridge, ticket.code), ticketLink(bridge, other.code)];
    const already = ticket.mergedIntoId === other.id ? ' already' : '';
    const refused = await mergeTicket(bridge, person.user_id, ticket, other);
    return refused === undefined
      ? { text: `${its} was merged into ${others}${already}.` }
      : refuse(`${its} was not merged into ${others}: ${escapeMrkdwn(refused)}`);
  }),

  /** `/ticket reply`: a public reply, posted in the requester's thread under the author's name (B13). */
  reply: changeOnTicket((bridge, asked, ticket) => writeToTicket(bridge, asked, ticket, 'answer')),

  /** `/ticket note`: an internal note (B14). */
  note: changeOnTicket((bridge, asked, ticket) => writeToTicket(bridge, asked, ticket, 'note')),
} satisfies Record<string, Work>;

async function setPrivate(
  bridge: Bridge,
  person: CommandRequest['person'],
  ticket: Ticket,
  isPrivate: boolean,
): Promise<ActionAnswer> {
  const word = isPrivate ? 'private' : 'public';
  if (ticket.private === isPrivate) return { text: `${ticketLink(bridge, ticket.code)} is ${word} already.` };
  const says = isPrivate
    ? 'is private: only the people on it read it'
    : 'is public: who reads its queue reads it';
  return write(bridge, { person, ticket, act: 'edit' }, { private: isPrivate }, says);
}

/** The priorities by name. */
export const PRIORITIES = priority.options.map((id) => ({
  id,
  label: id === 'NO_PRIORITY' ? 'None' : (PRIORITY_WORD[id] ?? id),
}));

/** Returns whether it clears a date instead of naming one. */
export function isNoMoment(words: string): boolean {
  return /^(?:off|none|never|nothing|now)$/i.test(words);
}

async function setMoment(
  bridge: Bridge,
  { person, words, typedAt }: CommandRequest,
  ticket: Ticket,
  change: {
    field: 'snoozeUntil' | 'dueAt';
    act: Act;
    set: string;
    cleared: string;
    timeOfDay: 'day-begins' | 'day-ends';
  },
): Promise<ActionAnswer> {
  const { field, act } = change;
  if (isNoMoment(words)) return write(bridge, { person, ticket, act }, { [field]: null }, change.cleared);
  const timeZone = knownZone(person.time_zone);
  const timeOfDay = await ownSetting(bridge, change.timeOfDay);
  const when = parseWhen(words, { now: typedAt, timeZone, timeOfDay });
  if ('refused' in when) return refuse(`“${escapeMrkdwn(words)}”: ${when.refused}`);
  const shown = `*${moment(when.at, timeZone)}*`;
  // It waited for the service until the snooze was over; a due date in the past was missed.
  if (act === 'snooze' && when.at <= bridge.clock.now())
    return refuse(
      `${shown} is in the past: ${ticketLink(bridge, ticket.code)} was not snoozed. Type a later time.`,
    );
  if (act === 'snooze' && hasEnded(ticket.status.statusGroup.label))
    return refuse(
      `${ticketLink(bridge, ticket.code)} is *${escapeMrkdwn(ticket.status.label)}*, so it cannot be snoozed. Reopen it first: \`${bridge.command} reopen ${ticket.code}\`.`,
    );
  return write(bridge, { person, ticket, act }, { [field]: when.at.toISOString() }, `${change.set} ${shown}`);
}

async function write(
  bridge: Bridge,
  { person, ticket, act }: { person: CommandRequest['person']; ticket: Ticket; act: Act },
  data: Parameters<typeof updateTicket>[3],
  says: string,
): Promise<ActionAnswer> {
  const refusal = await refusalFor(bridge, ticket, person, act);
  if (refusal) return refusal;
  await updateTicket(bridge, person.user_id, ticket.id, data);
  return { text: `${ticketLink(bridge, ticket.code)} ${says}.` };
}

const withNotes = (answer: ActionAnswer, notes: readonly string[]): ActionAnswer => ({
  ...answer,
  text: [answer.text, ...notes].join('\n'),
});

/** Says that a name fits none of some records, or several of them, and lists what can be typed. */
export function severalOf<Named extends { label: string }>(
  what: string,
  typed: string,
  match: NameMatch<Named>,
  all: readonly Named[],
): ActionAnswer {
  const labels = (match && 'candidates' in match ? match.candidates : all).map(
    ({ label }) => `*${escapeMrkdwn(label)}*`,
  );
  const why = match
    ? `“${escapeMrkdwn(typed)}” could be more than one ${what}`
    : `There is no ${what} “${escapeMrkdwn(typed)}”`;
  return refuse(`${why}. Type one of: ${labels.join(', ')}.`);
}

async function writeToTicket(
  bridge: Bridge,
  { person, team, escaped, attempt, key }: CommandRequest,
  ticket: Ticket,
  kind: 'note' | 'answer',
): Promise<ActionAnswer> {
  const refusal = await refusalFor(bridge, ticket, person, kind === 'note' ? 'note' : 'reply');
  if (refusal) return refusal;
  const markdown = await markdownOf(bridge, team, escaped);
  const word = kind === 'note' ? 'note' : 'reply';
  if (isBlank(markdown)) return refuse(`Your ${word} was empty. Nothing was written.`);
  const message = { kind, markdown, key: kind === 'note' ? key : `command ${key}` };
  await writeMessage(bridge, attempt, ticket.id, person, message);
  const mentioned = mentionedUsers({ text: escaped, blocks: [] });
  const answer = { text: `Your ${word} is on ${ticketLink(bridge, ticket.code)}.` };
  return withNotes(answer, await awayNotesOfMentioned(bridge, team, mentioned, person));
}
