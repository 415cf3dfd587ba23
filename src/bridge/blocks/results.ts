import type { Button, KnownBlock, RichTextElement } from '@slack/types';

import { shorten } from '../../contract/index.ts';
import { escapeChat } from '../text/to-chat.ts';
import { link, optionOf } from './card.ts';
import type { Match } from '../tickets/search.ts';

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
  /** Until when it is snoozed. */
  snoozedUntil?: Date | undefined;
  createdAt: Date;
  /** Why a search found it. */
  match?: Match | undefined;
}

const TITLE_SHOWN = 150;

/**
 * Returns a list of tickets with a heading, and buttons for the next page and for sharing it with the channel (B34).
 */
export function resultBlocks(
  head: string,
  results: readonly ResultLine[],
  { next, share, now }: { next: string | undefined; share?: string | undefined; now: Date },
): { text: string; blocks: KnownBlock[] } {
  return under(
    head,
    results.map((line) => lineBlock(line, now)),
    [
      ...(next === undefined ? [] : [button(ACTIONS.moreResults, 'Next page', next)]),
      ...(share === undefined ? [] : [button(ACTIONS.shareResults, 'Share here', share)]),
    ],
  );
}

/** Returns one ticket as rich text, so that user text stays text (B62). */
function lineBlock(line: ResultLine, now: Date): KnownBlock {
  const { match, snoozedUntil } = line;
  const inTitle = match?.snippets.find(({ field }) => field === 'title');
  const others = match?.snippets.filter(({ field }) => field !== 'title' && field !== 'reference') ?? [];
  const between = text('  ·  ');
  const section: RichTextElement[] = [
    { type: 'link', url: line.url, text: line.code, style: { bold: true } },
    text('  '),
    ...(inTitle ? marked(shortened(inTitle, TITLE_SHOWN)) : [text(shorten(line.title, TITLE_SHOWN))]),
    text(`\n${line.status}`),
    between,
    text(ageOf(line.createdAt, now)),
    ...(line.private ? [between, emoji('lock'), text(' private')] : []),
    ...(snoozedUntil ? [between, emoji('zzz'), text(' until '), date(snoozedUntil)] : []),
    ...(match?.by === 'meaning' ? [between, text('similar in meaning', { italic: true })] : []),
  ];
  return {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: section },
      ...others.map((snippet) => ({
        type: 'rich_text_quote' as const,
        elements: [
          ...(LABELS[snippet.field] ? [text(`${LABELS[snippet.field] ?? ''} `, { italic: true })] : []),
          ...marked(snippet),
        ],
      })),
    ],
  };
}

const LABELS: Record<string, string> = { message: 'Message:', note: 'Private note:' };

type Snippet = Match['snippets'][number];

/** A snippet with its matches in bold. */
function marked({ text: whole, marks }: Pick<Snippet, 'text' | 'marks'>): RichTextElement[] {
  const pieces: RichTextElement[] = [];
  let at = 0;
  for (const { from, to } of marks) {
    if (from > at) pieces.push(text(whole.slice(at, from)));
    if (to > from) pieces.push(text(whole.slice(from, to), { bold: true }));
    at = to;
  }
  if (at < whole.length) pieces.push(text(whole.slice(at)));
  return pieces;
}

function shortened({ text: whole, marks }: Snippet, length: number): Pick<Snippet, 'text' | 'marks'> {
  return { text: shorten(whole, length), marks: marks.filter(({ to }) => to < length) };
}

const text = (words: string, style?: { bold?: true; italic?: true }): RichTextElement => ({
  type: 'text',
  text: words,
  ...(style && { style }),
});
const emoji = (name: string): RichTextElement => ({ type: 'emoji', name });
const date = (at: Date): RichTextElement => ({
  type: 'date',
  timestamp: Math.floor(at.getTime() / 1000),
  format: '{date_short_pretty} {time}',
  fallback: `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
});

/** Returns mrkdwn lines below a context line, with buttons if there are any. */
export function linesUnder(
  head: string,
  lines: readonly string[],
  buttons: readonly Button[],
): { text: string; blocks: KnownBlock[] } {
  return under(
    head,
    lines.map((line) => ({ type: 'section', text: { type: 'mrkdwn', verbatim: true, text: line } })),
    buttons,
  );
}

function under(
  head: string,
  lines: readonly KnownBlock[],
  buttons: readonly Button[],
): { text: string; blocks: KnownBlock[] } {
  return {
    text: head,
    blocks: [
      { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: head }] },
      ...lines,
      ...(buttons.length > 0 ? [{ type: 'actions' as const, elements: [...buttons] }] : []),
    ],
  };
}

/** Returns one ticket as an answer, with a button that shares it with the channel. */
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
 * Returns a menu of tickets, for a command without one (B32).
 * @param blockId identifies the command when the choice comes back.
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

/** Returns "3 days ago": the largest unit that fits. */
export function ageOf(then: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000);
  const step = STEPS.findLast(([, size]) => seconds >= size);
  if (!step) return 'just now';
  const [unit, size] = step;
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

const ANSWER_MARK = '=';

/** Marks the controls of an answer: it is not updated, so its buttons get an answer. */
export function inAnswer(version: string): string {
  return `${ANSWER_MARK}${version}`;
}

/** Returns whether controls are in an answer, not on a card that follows the ticket. */
export function isInAnswer(blockId: string): boolean {
  return blockId.startsWith(ANSWER_MARK);
}

/** The ticket of a direct message. */
export interface Subject {
  code: string;
  url: string;
  title: string;
}

export function subjectLine({ code, url, title }: Subject): string {
  return `*${link(url, code)}*  ${escapeChat(shorten(title, TITLE_SHOWN))}`;
}
