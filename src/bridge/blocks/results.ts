import type { Button, KnownBlock, RichTextElement } from '@slack/types';

import { shorten } from '../../contract/index.ts';
import { actions, button, context, type Drawn, optionOf, plain, section } from './kit.ts';
import { ageOf } from './time.ts';
import type { Match } from '../tickets/search.ts';

/** Action ids of the buttons and menus in answers. */
export const ACTIONS = {
  moreResults: 'search_more',
  shareResults: 'share_results',
  share: 'share_ticket',
  ownTicket: 'own_ticket',
  pick: 'pick_ticket',
  moreObserved: 'observed_more',
  ownChannels: 'own_channels',
} as const;

export interface ResultLine {
  code: string;
  url: string;
  title: string;
  status: string;
  private: boolean;
  snoozedUntil?: Date | undefined;
  createdAt: Date;
  /** Why a search found it. */
  match?: Match | undefined;
}

const TITLE_SHOWN = 150;

interface ResultOptions {
  next: string | undefined;
  share?: string | undefined;
  now: Date;
  /** A remark below the results. */
  note?: string | undefined;
}

/**
 * Returns a list of tickets with a heading, and buttons for the next page and for sharing it with the channel (B34).
 */
export function resultBlocks(
  head: string,
  results: readonly ResultLine[],
  { next, share, now, note }: ResultOptions,
): Drawn {
  return linesUnder(
    head,
    [...results.map((line) => lineBlock(line, now)), ...(note === undefined ? [] : [context(note)])],
    [
      ...(next === undefined ? [] : [button(ACTIONS.moreResults, 'Next page', next)]),
      ...(share === undefined ? [] : [button(ACTIONS.shareResults, 'Share here', share)]),
    ],
  );
}

/** Returns one ticket as rich text, so that user text stays text (B62). */
function lineBlock(ticket: ResultLine, now: Date): KnownBlock {
  const { match, snoozedUntil } = ticket;
  const inTitle = match?.snippets.find(({ field }) => field === 'title');
  const others = match?.snippets.filter(({ field }) => field !== 'title' && field !== 'reference') ?? [];
  const between = text('  ·  ');
  const line: RichTextElement[] = [
    { type: 'link', url: ticket.url, text: ticket.code, style: { bold: true } },
    text('  '),
    ...(inTitle ? marked(shortened(inTitle, TITLE_SHOWN)) : [text(shorten(ticket.title, TITLE_SHOWN))]),
    text(`\n${ticket.status}`),
    between,
    text(ageOf(ticket.createdAt, now)),
    ...(ticket.private ? [between, emoji('lock'), text(' private')] : []),
    ...(snoozedUntil ? [between, emoji('zzz'), text(' until '), date(snoozedUntil)] : []),
    ...(match?.by === 'meaning' ? [between, text('similar in meaning', { italic: true })] : []),
  ];
  return {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: line },
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

const LABELS: Record<string, string> = {
  message: 'Message:',
  note: 'Private note:',
  file: 'File:',
  field: 'Field:',
};

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

/** Returns lines below a context line, with buttons if there are any. */
export function linesUnder(head: string, lines: readonly KnownBlock[], buttons: Button[]): Drawn {
  return {
    text: head,
    blocks: [context(head), ...lines, ...(buttons.length > 0 ? [actions(buttons)] : [])],
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
): Drawn {
  const menu = {
    type: 'static_select' as const,
    action_id: ACTIONS.pick,
    placeholder: plain('Which ticket?'),
    options: tickets.map(({ id, code, title }) => optionOf({ id, label: `${code}  ${title}` })),
  };
  return {
    text: question,
    blocks: [section(question), actions([menu], blockId)],
  };
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
