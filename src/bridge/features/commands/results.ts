import type { Button, KnownBlock } from '@slack/types';

import { shorten } from '../../../contract/index.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { link, moment, optionOf } from '../../blocks/card.ts';

/** Action ids of the buttons and menus in answers. */
export const ACTIONS = {
  moreResults: 'search_more',
  shareResults: 'share_results',
  share: 'share_ticket',
  ownTicket: 'own_ticket',
  pick: 'pick_ticket',
  moreObserved: 'observed_more',
} as const;

/** One ticket in a list. */
export interface ResultLine {
  code: string;
  url: string;
  title: string;
  status: string;
  private: boolean;
  /** Until when it is put aside. */
  snoozedUntil?: Date | undefined;
  createdAt: Date;
}

const TITLE_SHOWN = 150;

/** A list of tickets under its head, with buttons for the next page and for showing it to the channel (B34). */
export function resultBlocks(
  head: string,
  results: readonly ResultLine[],
  { next, share, now }: { next: string | undefined; share?: string | undefined; now: Date },
): { text: string; blocks: KnownBlock[] } {
  const lines = results.map(
    (line) =>
      `*${link(line.url, line.code)}*  ${escapeChat(shorten(line.title, TITLE_SHOWN))}\n${escapeChat(line.status)}  ·  ${ageOf(line.createdAt, now)}${line.private ? '  ·  :lock: private' : ''}${line.snoozedUntil ? `  ·  :zzz: until ${moment(line.snoozedUntil)}` : ''}`,
  );
  return linesUnder(head, lines, [
    ...(next === undefined ? [] : [button(ACTIONS.moreResults, 'Next page', next)]),
    ...(share === undefined ? [] : [button(ACTIONS.shareResults, 'Share here', share)]),
  ]);
}

/** Lines of mrkdwn under a quiet head, with buttons below where there are any. */
export function linesUnder(
  head: string,
  lines: readonly string[],
  buttons: readonly Button[],
): { text: string; blocks: KnownBlock[] } {
  return {
    text: head,
    blocks: [
      { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: head }] },
      ...lines.map((text): KnownBlock => ({
        type: 'section',
        text: { type: 'mrkdwn', verbatim: true, text },
      })),
      ...(buttons.length > 0 ? [{ type: 'actions' as const, elements: [...buttons] }] : []),
    ],
  };
}

/** One ticket as an answer, with a button that shows it to the channel. */
export function ticketAnswer(
  card: { text: string; blocks: KnownBlock[] },
  code: string,
): { text: string; blocks: KnownBlock[] } {
  return {
    text: card.text,
    blocks: [...card.blocks, { type: 'actions', elements: [button(ACTIONS.share, 'Share here', code)] }],
  };
}

/**
 * A menu of tickets, for a command that named none (B32).
 * @param blockId what tells the command, given back with the choice.
 */
export function pickBlocks(
  question: string,
  tickets: readonly { id: string; code: string; title: string }[],
  blockId: string,
): { text: string; blocks: KnownBlock[] } {
  return {
    text: question,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', verbatim: true, text: question } },
      {
        type: 'actions',
        block_id: blockId,
        elements: [
          {
            type: 'static_select',
            action_id: ACTIONS.pick,
            placeholder: { type: 'plain_text', text: 'Which ticket?' },
            options: tickets.map(({ id, code, title }) => optionOf({ id, label: `${code}  ${title}` })),
          },
        ],
      },
    ],
  };
}

export function button(action_id: string, text: string, value: string): Button {
  return { type: 'button', action_id, value, text: { type: 'plain_text', text } };
}

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
