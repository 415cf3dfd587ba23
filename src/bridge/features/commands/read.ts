import { unescapeMrkdwn, escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import {
  COMMAND_NAMES,
  type CommandGroup,
  type CommandName,
  describedAs,
  GROUPS,
  commandNamed,
} from '../../tickets/command-rules.ts';
import { type CardControls, cardOf, requesterCard } from '../../blocks/card.ts';
import { actions, button, type Drawn, section } from '../../blocks/kit.ts';
import { ACTIONS, inAnswer } from '../../blocks/results.ts';
import { durationOf } from '../../blocks/time.ts';
import type { Bridge } from '../../bridge.ts';
import { ServiceError, AnsweredError } from '../../../client/index.ts';
import { ChatError } from '../../slack/errors.ts';
import { matchName, parseRef } from '../../tickets/rules.ts';
import { findTicket, isInTeam, teamOfQueue, permissionsFor, readsQueue } from '../../tickets/find-ticket.ts';
import { whyNotFound, whyReadable } from '../../tickets/who-reads.ts';
import { queuesOf } from '../../tickets/search.ts';
import type { Person } from '../../people/people.ts';
import { countTickets, type List, listTickets } from './list-tickets.ts';
import { controlsOf, readCardFacts } from '../../tickets/ticket-facts.ts';
import { type CommandRequest, refuse, type Work, queueHere, setUpRefusal } from './request.ts';
import { explainMessage } from '../delivery-status/index.ts';
import { FORM_BUTTONS } from '../forms/index.ts';

/** Answers a greeting: one line that says how to ask, and the form (B8). */
export function greeting(place: 'direct' | 'channel'): Drawn {
  const text =
    place === 'direct'
      ? 'Hi! Write what you need in one message, and it becomes a ticket.'
      : 'Hi! Mention me with what you need, and it becomes a ticket.';
  return { text, blocks: [section(text), actions([button(FORM_BUTTONS.open, 'New ticket', 'greeting')])] };
}

const code = (text: string) => `\`${escapeMrkdwn(text)}\``;

/**
 * Returns the commands in their groups, with a short description; then the user's next steps, if known.
 * @param isWorker false: only what everybody can do with their own requests.
 * @param next lines of mrkdwn.
 */
export function helpText(command: string, isWorker: boolean, next: readonly string[] = []): string {
  const shown = (Object.keys(GROUPS) as CommandGroup[]).filter((group) => isWorker || group === 'ask');
  const groups = shown.map((group) => {
    const names = COMMAND_NAMES.filter((name) => describedAs(name).group === group);
    return `*${GROUPS[group]}*  ${names.map((name) => code(name)).join('  ')}`;
  });
  return [
    `*Work with tickets.* Type ${code(`${command} <command>`)}, for example:`,
    ...(['new', 'list', 'show', 'close'] as const).map((name) => `• ${commandLine(command, name)}`),
    ...groups,
    `More about one: ${code(`${command} help ${isWorker ? 'snooze' : 'close'}`)}. A ticket is named ${code('IT-42')}, ${code('#42')} in its queue’s channel, or by a link; without one I offer your recent ones.`,
    'You can also mention me in a message, or react to one with :ticket:. Replies in that thread are the conversation on the ticket, where ' +
      (isWorker ? '`status done`, `assign me` or `close`' : '`close` and `reopen`') +
      ' also work after a mention of me.',
    ...(next.length > 0 ? ['*Next for you*', ...next.map((line) => `• ${line}`)] : []),
  ].join('\n');
}

function commandLine(command: string, name: CommandName): string {
  const { example, does } = describedAs(name);
  return `${code(`${command} ${example}`)} — ${does}`;
}

function helpOn(command: string, name: CommandName): string {
  const { form, does, example, also = [], inThread } = describedAs(name);
  return [
    `*${code(`${command} ${form}`)}* — ${does}`,
    `For example ${code(`${command} ${example}`)}.`,
    ...(also.length > 0 ? [`Also ${also.map((one) => code(one)).join(', ')}.`] : []),
    ...(inThread ? [`In the ticket’s thread, mention me: ${code(inThreadExample(example))}.`] : []),
  ].join('\n');
}

/** Returns the example for a ticket's thread: after a mention, without the reference. */
export function inThreadExample(example: string, bot = 'deskbridge'): string {
  return `@${bot} ${example.replace(/ IT-42/, '')}`;
}

/** Says what is missing, and the command's syntax (B36). */
export function incompleteText(command: string, name: CommandName, missing: string): string {
  const { form, example } = describedAs(name);
  return `Add ${escapeMrkdwn(missing)}: ${code(`${command} ${form}`)}, for example ${code(`${command} ${example}`)}.`;
}

/** Says that the command is unknown, with similar ones, and how to open a ticket with this text (B36). */
export function unknownText(command: string, word: string, meant: readonly CommandName[]): string {
  const perhaps = meant.map((name) => code(`${command} ${describedAs(name).form}`)).join(' or ');
  return [
    `Unknown command ${code(word)}.${perhaps ? ` Did you mean ${perhaps}?` : ''}`,
    `${code(`${command} help`)} lists the commands; ${code(`${command} new <title>`)} opens a ticket.`,
  ].join('\n');
}

/** The commands that change nothing. */
export const readCommands = {
  /** `/ticket help`, for all commands or one, with the user's next steps. */
  help: {
    async run(bridge, asked) {
      const word = asked.words.split(/\s+/, 1)[0] ?? '';
      const name = commandNamed(word);
      if (name) return { text: helpOn(bridge.command, name) };
      if (word) return refuse(unknownText(bridge.command, word, []));
      return {
        text: helpText(bridge.command, await worksOnTickets(bridge, asked), await nextSteps(bridge, asked)),
      };
    },
  },

  search: {
    run: (bridge, { person, words }) => listTickets(bridge, person, { wanted: { words } }),
  },

  /** `/ticket list`: one's own tickets, or the open ones of the channel's queue. */
  list: {
    async run(bridge, { person, channel, words }) {
      const match = matchName(words || 'mine', LISTS);
      if (!match || 'candidates' in match)
        return refuse(
          `There is no list “${escapeMrkdwn(words)}”. Type \`${bridge.command} ${describedAs('list').form}\`.`,
        );
      const { label } = match.found;
      if (label === 'mine' || label === 'assigned')
        return person.user_id === null
          ? { text: 'You are not a user of the help desk yet, so you have no tickets.' }
          : listTickets(bridge, person, { wanted: { list: label } });
      const channelQueue = await queueHere(bridge, channel);
      if (!channelQueue)
        return refuse(
          `This channel has no queue. Type \`${bridge.command} list ${label}\` in a channel that has one, or \`${bridge.command} list assigned\`.`,
        );
      const queue = await bridge.channels.queue(channelQueue.queueId);
      return listTickets(bridge, person, {
        wanted: { list: label, queue: { id: channelQueue.queueId, name: queue?.name ?? 'this queue' } },
      });
    },
  },

  /** `/ticket show`: the card with the permitted controls, and a button that shares it with the channel (B34). */
  show: {
    async onTicket(bridge, { person }, ticket) {
      const { isTeam, isRequester } = await permissionsFor(bridge, ticket, person);
      const facts = await readCardFacts(bridge, ticket);
      const controls = async (reader: CardControls['for']) => {
        const all = await controlsOf(bridge, ticket, reader, { alone: true });
        return { ...all, version: inAnswer(all.version) };
      };
      const card = isTeam
        ? cardOf(facts, await controls('team'))
        : isRequester
          ? requesterCard(facts, await controls('requester'))
          : cardOf(facts);
      const share = actions([button(ACTIONS.share, 'Share here', ticket.code)]);
      return { text: card.text, blocks: [...card.blocks, share] };
    },
  },

  /** `/ticket stats`: five figures of this channel's queue, for those who read it; they reveal no ticket. */
  stats: {
    async run(bridge, { channel, person }) {
      const channelQueue = await queueHere(bridge, channel);
      const queue = channelQueue && (await bridge.channels.queue(channelQueue.queueId));
      if (!queue) return refuse('This channel has no queue. Run this in a channel that is linked to one.');
      if (!(await readsQueue(bridge, queue.id, person)))
        return refuse(
          `Only people who can read the tickets of *${escapeMrkdwn(queue.name)}* see these figures.`,
        );
      const count = async (query: { unassignedFilter?: boolean }) => {
        const open = {
          workspaceId: queue.workspaceId,
          queueId: queue.id,
          openFilter: true,
          snoozedFilter: false,
        };
        const { totalCount } = await bridge.service.listTickets({ query: { ...open, limit: 1, ...query } });
        return totalCount;
      };
      const [open, unassigned] = [await count({}), await count({ unassignedFilter: true })];
      const lines = [`*${open}* open, *${unassigned}* of them unassigned`];
      try {
        lines.push(...(await lastWeek(bridge, queue)));
      } catch (error) {
        if (!(error instanceof AnsweredError && error.missing)) throw error;
        lines.push('The help desk has no reply times.');
      }
      return { text: [`*${escapeMrkdwn(queue.name)}*`, ...lines.map((line) => `• ${line}`)].join('\n') };
    },
  },

  /**
   * `/ticket why <link>`: explains the bridge's decisions about a message that the user can see (B55); `/ticket why
   * IT-42` why they can or cannot read a ticket (B0).
   */
  why: {
    async run(bridge, { escaped, team, channel, person }) {
      const ref = parseRef(unescapeMrkdwn(escaped));
      if (ref?.kind === 'code' || ref?.kind === 'number')
        return { text: await explainReading(bridge, escaped, channel, person) };
      if (ref?.kind !== 'message')
        return refuse(
          `That is neither a link to a message nor a ticket such as ${code('IT-42')}. Choose *Copy link* in the message’s menu, and paste it after \`${bridge.command} why\`.`,
        );
      if (ref.channel !== channel && !(await maySee(bridge, ref.channel, person.chat_user_id)))
        return refuse('You or I cannot see that message.');
      return { text: await explainMessage(bridge, { team, channel: ref.channel, ts: ref.ts }, person) };
    },
  },
} satisfies Record<string, Work>;

async function explainReading(
  bridge: Bridge,
  typed: string,
  channel: string,
  person: Person,
): Promise<string> {
  const found = await findTicket(bridge, typed, channel, person);
  if ('ticket' in found) return whyReadable(bridge, found.ticket, person);
  return found.code === undefined ? found.refusal : whyNotFound(bridge, found.code, person);
}

/** Returns whether somebody is in a team or may set this channel up. While that cannot be said, nothing is left out. */
async function worksOnTickets(bridge: Bridge, { person, channel }: CommandRequest): Promise<boolean> {
  try {
    if ((await queuesOf(bridge, person)).size > 0) return true;
    const channelQueue = await queueHere(bridge, channel);
    return (await setUpRefusal(bridge, person, channelQueue ? [channelQueue.queueId] : [])) === undefined;
  } catch (error) {
    if (error instanceof ServiceError || error instanceof ChatError) return true;
    throw error;
  }
}

/** Returns the user's next steps; none if the service or Slack fails: help must not depend on them. */
async function nextSteps(bridge: Bridge, { person, channel }: CommandRequest): Promise<string[]> {
  const steps: string[] = [];
  const add = async (wanted: List, one: string, many: string) => {
    const total = await countTickets(bridge, person, wanted);
    if (total > 0)
      steps.push(`${total} ${total === 1 ? one : many}: \`${bridge.command} list ${wanted.list}\``);
  };
  try {
    const channelQueue = await queueHere(bridge, channel);
    if (person.user_id !== null) {
      await add({ list: 'mine' }, 'request of yours is open', 'requests of yours are open');
      await add({ list: 'assigned' }, 'open ticket is assigned to you', 'open tickets are assigned to you');
    }
    if (channelQueue && isInTeam(await teamOfQueue(bridge, channelQueue.queueId), person)) {
      const queue = { id: channelQueue.queueId, name: '' };
      await add({ list: 'unassigned', queue }, 'open ticket is unassigned', 'open tickets are unassigned');
    }
    return steps;
  } catch (error) {
    if (error instanceof ServiceError || error instanceof ChatError) return [];
    throw error;
  }
}

const LISTS = (['mine', 'assigned', 'open', 'unassigned', 'snoozed'] as const).map((label) => ({ label }));

const WEEK_MS = 7 * 86_400_000;

type MetricBody = Parameters<Bridge['service']['previewMetric']>[0]['body'];
type Aggregation = NonNullable<MetricBody['query']['aggregations']>[number];
type Dated = NonNullable<MetricBody['query']['dateField']>;

async function lastWeek(
  { service, clock }: Bridge,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<string[]> {
  const now = clock.now();
  const dateRange = { from: new Date(now.getTime() - WEEK_MS).toISOString(), to: now.toISOString() };
  const figure = async (aggregation: Aggregation, dateField: Dated) => {
    const query = {
      dataSource: 'Ticket' as const,
      dateField,
      aggregations: [aggregation],
      filterGroups: [[{ field: 'queueId' as const, condition: 'equals' as const, value: id }]],
    };
    const { data } = await service.previewMetric({ body: { workspaceId, dateRange, query } });
    return data[0]?.value;
  };
  const count = async (dateField: Dated) => (await figure({ type: 'count' }, dateField)) ?? 0;
  const [opened, resolved, answers] = [
    await count('createdAt'),
    await count('resolvedAt'),
    await count('respondedAt'),
  ];
  const lines = [`*${opened}* opened and *${resolved}* done in the last 7 days`];
  const median = async (field: 'responseTime' | 'timeToResolution', dateField: Dated, text: string) => {
    const seconds = await figure({ type: 'median', field }, dateField);
    if (seconds !== undefined) lines.push(`Median ${text}: *${durationOf(seconds)}*`);
  };
  if (answers > 0) await median('responseTime', 'respondedAt', 'first reply');
  if (resolved > 0) await median('timeToResolution', 'resolvedAt', 'resolution');
  return lines;
}

/** Messages of a public channel are visible to everyone, others to its members. */
async function maySee({ chat }: Bridge, channel: string, user: string): Promise<boolean> {
  try {
    const { isPrivate } = await chat.channel(channel);
    const isDirect = await chat.isDirect(channel);
    return (!isPrivate && !isDirect) || (await chat.members(channel)).includes(user);
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return false;
    throw error;
  }
}
