import { z } from 'zod';

import { shorten } from '../../../contract/index.ts';
import { ACTIONS, ageOf, button, linesUnder } from '../../blocks/results.ts';
import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import { observedChannel, observedTickets } from '../../tickets/watched.ts';
import { peopleNamed } from '../../people/people.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { refuse, type Said, type Work } from './asked.ts';

const PAGE = 10;
const TITLE_SHOWN = 150;

/** `/ticket observed`: tickets that would have been opened in an observed channel (B56). */
export const observed: Work = {
  changes: false,
  run: (bridge, { team, channel }) => observedPage(bridge, { team, channel }),
};

const Page = z.object({ before: z.string() });

/** Returns the page of a *Next page* button; undefined if its value is not ours. */
export async function nextObserved(
  bridge: Bridge,
  place: { team: string; channel: string },
  value: string,
): Promise<Answer | undefined> {
  const { data } = Page.safeParse({ before: value });
  return data && observedPage(bridge, place, data.before);
}

async function observedPage(
  bridge: Bridge,
  place: { team: string; channel: string },
  before?: string,
): Promise<Said> {
  const { db } = bridge.database;
  const watched = await observedChannel(db, place);
  if (!watched)
    return refuse(
      `I do not watch this channel. \`${bridge.command} link <queue> --observe\` has me watch it and write nothing.`.replace(
        '<queue>',
        '&lt;queue&gt;',
      ),
    );
  const queue = escapeChat((await bridge.channels.queue(watched.queue_id))?.name ?? watched.queue_id);
  const { tickets, total } = await observedTickets(db, place, { before, limit: PAGE });
  const now = bridge.clock.now();
  if (tickets.length === 0)
    return {
      text: before
        ? 'There is nothing more.'
        : `I have watched this channel for *${queue}* since ${ageOf(watched.since, now)}, and would have opened no ticket.`,
    };
  const people = await peopleNamed(
    bridge,
    place.team,
    tickets.map(({ chat_user_id }) => chat_user_id),
  );
  const lines = tickets.map(({ title, reason, chat_user_id, seen_at }) => {
    const who = escapeChat(people.get(chat_user_id)?.name ?? 'somebody');
    return `*${escapeChat(shorten(title, TITLE_SHOWN))}*\n${who}  ·  ${escapeChat(reason)}  ·  ${ageOf(seen_at, now)}`;
  });
  const last = tickets.at(-1);
  return linesUnder(
    `Would have been opened in *${queue}*: ${total}`,
    lines,
    tickets.length === PAGE && last ? [button(ACTIONS.moreObserved, 'Next page', last.ts)] : [],
  );
}
