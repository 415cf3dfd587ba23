import { helpOn, helpText, unknownText } from './answers.ts';
import { type CardControls, cardOf, requesterCard } from '../../blocks/card.ts';
import { inAnswer, ticketAnswer } from '../../blocks/results.ts';
import type { Bridge } from '../../bridge.ts';
import { ServiceError } from '../../../client/index.ts';
import { ChatError } from '../../slack/errors.ts';
import { commandNamed, describedAs } from './table-rules.ts';
import { matchName } from '../../tickets/match-name-rules.ts';
import { isInTeam, teamOf } from '../../tickets/team.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { countTickets, type List, listTickets } from './list-tickets.ts';
import { standingOf } from '../../tickets/standing.ts';
import { controlsOf, factsOf } from '../../tickets/ticket-facts.ts';
import { type Asked, refuse, type Work } from './asked.ts';
import { queueHere } from './queue-here.ts';

/** `/ticket help`, for all commands or one, with the user's next steps. */
export const help: Work = {
  changes: false,
  async run(bridge, asked) {
    const word = asked.words.split(/\s+/, 1)[0] ?? '';
    const name = commandNamed(word);
    if (name) return { text: helpOn(bridge.command, name) };
    if (word) return refuse(unknownText(bridge.command, word, []));
    return { text: helpText(bridge.command, await nextSteps(bridge, asked)) };
  },
};

/** Returns the user's next steps; none if the service or Slack fails: help must not depend on them. */
async function nextSteps(bridge: Bridge, { person, channel }: Asked): Promise<string[]> {
  const line = async (wanted: List, one: string, many: string, typed: string) => {
    const total = await countTickets(bridge, person, wanted);
    return total === 0 ? [] : [`${total} ${total === 1 ? one : many}: \`${bridge.command} ${typed}\``];
  };
  try {
    const home = await queueHere(bridge, channel);
    const steps: string[] = [];
    if (person.user_id !== null)
      steps.push(
        ...(await line(
          { list: 'mine' },
          'request of yours is open',
          'requests of yours are open',
          'list mine',
        )),
        ...(await line(
          { list: 'assigned' },
          'open ticket is assigned to you',
          'open tickets are assigned to you',
          'list assigned',
        )),
      );
    if (home && isInTeam(await teamOf(bridge, home.queueId), person))
      steps.push(
        ...(await line(
          { list: 'unassigned', queue: { id: home.queueId, name: '' } },
          'open ticket is unassigned',
          'open tickets are unassigned',
          'list unassigned',
        )),
      );
    return steps;
  } catch (error) {
    if (error instanceof ServiceError || error instanceof ChatError) return [];
    throw error;
  }
}

/** `/ticket search`. */
export const search: Work = {
  changes: false,
  run: (bridge, { person, words }) => listTickets(bridge, person, { wanted: { words } }),
};

const LISTS = (['mine', 'assigned', 'open', 'unassigned', 'snoozed'] as const).map((label) => ({ label }));

/** `/ticket list`: one's own tickets, or the open ones of the channel's queue. */
export const list: Work = {
  changes: false,
  async run(bridge, { person, channel, words }) {
    const match = matchName(words || 'mine', LISTS);
    if (!match || 'candidates' in match)
      return refuse(
        `I have no list “${escapeChat(words)}”. Type \`${bridge.command} ${describedAs('list').form}\`.`,
      );
    const { label } = match.found;
    if (label === 'mine' || label === 'assigned')
      return person.user_id === null
        ? { text: 'The help desk’s service does not know you as a user yet: nothing is yours.' }
        : listTickets(bridge, person, { wanted: { list: label } });
    const home = await queueHere(bridge, channel);
    if (!home)
      return refuse(
        `This channel has no queue. Type \`${bridge.command} list ${label}\` in a channel that has one, or \`${bridge.command} list assigned\`.`,
      );
    const queue = await bridge.channels.queue(home.queueId);
    return listTickets(bridge, person, {
      wanted: { list: label, queue: { id: home.queueId, name: queue?.name ?? 'this queue' } },
    });
  },
};

/** `/ticket show`: the card with the permitted controls, and a button that shares it with the channel (B34). */
export const show: Work = {
  changes: false,
  async onTicket(bridge, { person }, ticket) {
    const { isTeam, isRequester } = await standingOf(bridge, ticket, person);
    const facts = await factsOf(bridge, ticket);
    const controls = async (reader: CardControls['for']) => {
      const all = await controlsOf(bridge, ticket, reader);
      return { ...all, version: inAnswer(all.version) };
    };
    const card = isTeam
      ? cardOf(facts, await controls('team'))
      : isRequester
        ? requesterCard(facts, await controls('requester'))
        : cardOf(facts);
    return ticketAnswer(card, ticket.code);
  },
};
