import type { KnownBlock } from '@slack/types';

import { USAGE } from '../decide/command.ts';
import { escapeChat } from '../text/to-chat.ts';
import { link, shorten } from './card.ts';

/** One ticket in a list of search results. */
export interface ResultLine {
  code: string;
  url: string;
  title: string;
  status: string;
  createdAt: Date;
}

/** Action ids of the buttons in answers. */
export const ACTIONS = {
  moreResults: 'search_more',
  share: 'share_ticket',
  ownTicket: 'own_ticket',
} as const;

/** Callback ids of the shortcuts in manifest.yml. */
export const SHORTCUTS = {
  createTicket: 'create_ticket',
  fillForm: 'fill_form',
  newTicket: 'new_ticket',
  sendToRequester: 'send_to_requester',
} as const;

export function helpText(command: string): string {
  const lines = Object.values(USAGE).map(({ form, does }) => `• \`${command} ${form}\` — ${does}`);
  return [
    '*Tickets from here*',
    ...lines,
    'You can also mention me in a message, or react to one with :ticket:. Replies in that thread are the conversation on the ticket.',
  ].join('\n');
}

/** Results of a search: up to ten lines, and a button for the next ten where there are more (B34). */
export function resultBlocks(
  words: string,
  results: readonly ResultLine[],
  { total, next, now }: { total: number | undefined; next: string | undefined; now: Date },
): { text: string; blocks: KnownBlock[] } {
  const count = total === undefined ? 'Tickets' : `${total} ${total === 1 ? 'ticket' : 'tickets'}`;
  const head = `${count} for “${escapeChat(words)}”`;
  const lines = results.map(
    ({ code, url, title, status, createdAt }) =>
      `*${link(url, code)}*  ${escapeChat(shorten(title, TITLE_SHOWN))}\n${escapeChat(status)}  ·  ${ageOf(createdAt, now)}`,
  );
  const blocks: KnownBlock[] = [
    { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: head }] },
    ...lines.map((text): KnownBlock => ({ type: 'section', text: { type: 'mrkdwn', verbatim: true, text } })),
  ];
  if (next !== undefined)
    blocks.push({
      type: 'actions',
      elements: [
        {
          type: 'button',
          action_id: ACTIONS.moreResults,
          value: next,
          text: { type: 'plain_text', text: 'Next page' },
        },
      ],
    });
  return { text: head, blocks };
}

/** One ticket as an answer, with a button that shows it to the channel. */
export function ticketAnswer(
  card: { text: string; blocks: KnownBlock[] },
  code: string,
): { text: string; blocks: KnownBlock[] } {
  return {
    text: card.text,
    blocks: [
      ...card.blocks,
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: ACTIONS.share,
            value: code,
            text: { type: 'plain_text', text: 'Share here' },
          },
        ],
      },
    ],
  };
}

const TITLE_SHOWN = 150;

const STEPS = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
  ['month', 2_592_000],
  ['year', 31_536_000],
] as const;

/** "3 days ago": the largest unit that fits. */
export function ageOf(then: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000);
  const step = STEPS.findLast(([, size]) => seconds >= size);
  if (!step) return 'just now';
  const [unit, size] = step;
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
