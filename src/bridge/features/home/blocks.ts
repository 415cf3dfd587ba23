import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import type { HomeView, KnownBlock } from '@slack/types';

import { PRIORITY_WORD, shorten } from '../../../contract/index.ts';
import { HOME_PARTS, type HomePart, type HomePlace } from './rules.ts';
import { statusMark, subjectBlock } from '../../blocks/card.ts';
import { actions, button, context, plain, section } from '../../blocks/kit.ts';
import { FORM_BUTTONS } from '../forms/index.ts';

export const HOME_CALLBACK = 'home';

export const HOME_ACTIONS = { go: 'home_go', next: 'home_next', ticket: 'home_ticket' } as const;

/** One ticket on a Home; not yet escaped. */
export interface HomeLine {
  id: string;
  code: string;
  url: string;
  title: string;
  status: string;
  statusGroup: string;
  priority: string;
  thread: string | undefined;
  /** Author, beginning and age of the last message; undefined without one. */
  last: { by: string; words: string; age: string } | undefined;
  /** Whether it waits for the reader. */
  waits: boolean;
  /** The team that may have asked its requester something: the reader's own request is on hold. */
  onHoldBy: string | undefined;
  /** The actions of its requester; undefined for other users. */
  own: 'close' | 'reopen' | undefined;
}

interface HomeFacts {
  parts: Readonly<Record<HomePart, readonly HomeLine[]>>;
  place: HomePlace;
  notice: string | undefined;
}

/** Tickets of a section in the overview, and per page of one section: well below the 100 blocks of a view. */
const SHOWN = { short: 5, page: 20 } as const;

const HEADING: Record<HomePart, string> = {
  approvals: 'Waiting for my approval',
  assigned: 'Assigned to me',
  requests: 'My open requests',
  recent: 'Recently resolved',
};

/** Returns a user's Home (B38). */
export function homeView({ parts, place, notice }: HomeFacts): HomeView {
  const { part, page } = place;
  return home([
    ...(notice === undefined ? [] : [section(`:warning: ${notice}`)]),
    ...(part === 'all' ? overview(parts) : pageOf(part, parts[part], page)),
  ]);
}

/** Returns a Home until the service has answered. */
export function homeWithout(text: string): HomeView {
  return home([newTicket(), section(text)]);
}

function home(blocks: KnownBlock[]): HomeView {
  return { type: 'home', callback_id: HOME_CALLBACK, blocks };
}

function newTicket(): KnownBlock {
  return actions([button(FORM_BUTTONS.open, 'New ticket', 'home', 'primary')]);
}

function overview(parts: HomeFacts['parts']): KnownBlock[] {
  const filled = HOME_PARTS.filter((part) => parts[part].length > 0);
  if (filled.length === 0)
    return [newTicket(), section('Nothing is open. Your requests and what waits for you appear here.')];
  return [
    newTicket(),
    ...filled.flatMap((part) => {
      const lines = parts[part];
      return [
        { type: 'header' as const, text: plain(`${HEADING[part]} (${lines.length})`) },
        ...lines.slice(0, SHOWN.short).flatMap(lineBlocks),
        ...(lines.length > SHOWN.short
          ? [actions([button(HOME_ACTIONS.go, `Show all ${lines.length}`, `${part} 1`)], `more ${part}`)]
          : []),
      ];
    }),
  ];
}

function pageOf(part: HomePart, lines: readonly HomeLine[], wanted: number): KnownBlock[] {
  const pages = Math.max(1, Math.ceil(lines.length / SHOWN.page));
  const page = Math.min(wanted, pages);
  const shown = lines.slice((page - 1) * SHOWN.page, page * SHOWN.page);
  return [
    { type: 'header', text: plain(`${HEADING[part]} (${lines.length})`) },
    ...(shown.length > 0 ? shown.flatMap(lineBlocks) : [section('This list is empty.')]),
    ...(pages > 1 ? [context(`Page ${page} of ${pages}`)] : []),
    actions([
      button(HOME_ACTIONS.go, 'Back', 'all 1'),
      ...(page > 1 ? [button('home_previous', 'Previous page', `${part} ${page - 1}`)] : []),
      ...(page < pages ? [button(HOME_ACTIONS.next, 'Next page', `${part} ${page + 1}`)] : []),
    ]),
  ];
}

/** Characters of the last message. */
const WORDS_SHOWN = 100;

function lineBlocks(line: HomeLine): KnownBlock[] {
  const { id, priority, thread, own, last } = line;
  const state = [
    `${statusMark(line.statusGroup)} ${escapeMrkdwn(line.status)}`,
    PRIORITY_WORD[priority] ?? escapeMrkdwn(priority),
    ...(line.waits ? [`*${waitsWords(line)}*`] : []),
  ].join('  ·  ');
  const behind = last && `${last.by}, ${last.age}: ${shorten(last.words, WORDS_SHOWN)}`;
  const options = [
    ...(thread === undefined ? [] : [{ text: plain('Open thread'), value: `thread ${id}`, url: thread }]),
    ...(own === 'close' ? [{ text: plain('Close request'), value: `close ${id}` }] : []),
    ...(own === 'reopen' ? [{ text: plain('Reopen'), value: `reopen ${id}` }] : []),
  ].filter(({ value }) => value.length <= OPTION_VALUE);
  return [
    subjectBlock({ code: line.code, title: line.title, url: thread ?? line.url }, undefined, behind),
    {
      ...section(state),
      ...(options.length > 0
        ? { accessory: { type: 'overflow' as const, action_id: HOME_ACTIONS.ticket, options } }
        : {}),
    },
  ];
}

/** What is on hold is said as the request's page at the desk says it. */
function waitsWords({ onHoldBy }: HomeLine): string {
  if (onHoldBy === undefined) return 'Waiting for you';
  return `On hold. Reply if ${escapeMrkdwn(onHoldBy)} asked you something.`;
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
const OPTION_VALUE = 150;
