// Shared presentation: cards, modals, lists, emoji and dates. Pure functions from facts to Slack's blocks.

import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { ContextBlock, KnownBlock, RichTextBlock } from '@slack/types';

import { PRIORITY_WORD, shorten } from '../../contract/index.ts';
import { statusEmoji } from './emoji.ts';
import {
  actions,
  button,
  type Drawn,
  mrkdwn,
  optionOf,
  plain,
  plainContext,
  quoteBlock,
  richLine,
  richWords,
  section,
} from './kit.ts';
import type { SimilarTicket } from '../tickets/rules.ts';
import { shownAt } from './time.ts';

/** The contents of a ticket's card; names are resolved, text is not yet escaped. */
export interface CardFacts {
  code: string;
  url: string;
  title: string;
  status: string;
  statusGroup: string | undefined;
  priority: string;
  requester: string | undefined;
  assignee: string | undefined;
  queue: string | undefined;
  private: boolean;
  /** Who can read the tickets of its queue; absent if everyone can. */
  readers?: string;
  /** The channel in which it was asked, whose members read its thread whoever reads its queue. */
  askedIn?: string | undefined;
  approvers?: readonly string[];
  /** Undefined until the decision. */
  approval?: 'approved' | 'declined' | undefined;
  /** Who decided, if the service says so, and why. */
  decidedBy?: string | undefined;
  reason?: string | null;
  /** The requester's first name, for addressing them. */
  firstName?: string | undefined;
  /** When a first reply is expected, while there is none, and whether that has passed. */
  firstReply?: { at: Date; isOver: boolean } | undefined;
  /** The user who is replying right now (B57). */
  answering?: string | undefined;
  due?: Date | undefined;
  snoozedUntil?: Date | undefined;
  /** Its requester replied after it was done, and no agent has worked on it since (B22). */
  reopened?: boolean;
  /** The ticket that it was merged into and that continues in its place. */
  mergedInto?: { code: string; url: string; ended: boolean } | undefined;
  /** Where its conversation with the requester is, and its page at the desk. */
  threadUrl?: string | undefined;
  deskUrl?: string | undefined;
  /** The words of the request, where its title does not say them all, for its team. */
  words?: string | undefined;
  /** Similar tickets, for its team. */
  similar?: readonly SimilarTicket[];
}

/**
 * Returns the emoji of a status, the same everywhere: that of the parent message (B29), and a separate one for a new
 * ticket.
 */
export function statusMark(group: string | undefined): string {
  return `:${(group && statusEmoji(group)) ?? (group === 'Open' ? 'large_blue_circle' : 'ticket')}:`;
}

/**
 * Returns the team's card (B24, B26): reference and title, the words of the request, status and assignee, then the
 * requester and the rest in one context line; readable on a phone.
 */
export function cardOf(facts: CardFacts, controls?: CardControls): Drawn {
  const line = [
    statusOf(facts),
    PRIORITY_WORD[facts.priority] ?? escapeMrkdwn(facts.priority),
    facts.assignee ? escapeMrkdwn(facts.assignee) : 'unassigned',
  ].join('  ·  ');
  const quiet = [
    facts.requester ? `Asked by ${escapeMrkdwn(facts.requester)}` : undefined,
    facts.queue ? escapeMrkdwn(facts.queue) : undefined,
    // A snooze is the team's own matter.
    facts.snoozedUntil && controls?.for === 'team' ? `:zzz: until ${moment(facts.snoozedUntil)}` : undefined,
    facts.reopened ? 'Opened again by a new message' : undefined,
    facts.mergedInto ? `merged into ${link(facts.mergedInto.url, facts.mergedInto.code)}` : undefined,
    ...contextParts(facts),
    facts.threadUrl ? link(facts.threadUrl, 'Requester’s thread') : undefined,
    facts.deskUrl ? link(facts.deskUrl, 'Open at the desk') : undefined,
  ];
  const below = facts.similar?.length ? [similarBlock('Similar tickets', facts.similar)] : [];
  const words = facts.words ? [quoteBlock(shorten(facts.words, WORDS_SHOWN))] : [];
  const head = [subjectBlock(facts, TITLE_SHOWN), ...words, section(line)];
  const { text, blocks } = assembleCard(facts, head, [mrkdwn(joinFacts(quiet))], controls);
  return { text, blocks: [...blocks, ...below] };
}

/**
 * Returns the requester's card (B25): what happens with the request, in a sentence, then its status in one context
 * line.
 */
export function requesterCard(facts: CardFacts, controls?: CardControls): Drawn {
  const quiet = [
    mrkdwn(statusOf(facts)),
    plain(shorten(facts.title, REQUEST_SHOWN)),
    mrkdwn(joinFacts(contextParts(facts))),
  ];
  return assembleCard(facts, [section(nextStep(facts))], quiet, controls);
}

function assembleCard(
  facts: CardFacts,
  head: KnownBlock[],
  quiet: readonly ContextBlock['elements'][number][],
  controls: CardControls | undefined,
): Drawn {
  const elements = quiet.filter((element) => !('text' in element) || element.text !== '');
  return {
    text: escapeMrkdwn(`${facts.code} ${facts.title} (${facts.status})`),
    blocks: [
      ...head,
      ...(elements.length === 0 ? [] : [{ type: 'context' as const, elements }]),
      ...(controls ? [actionsOf(controls)] : []),
    ],
  };
}

function joinFacts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('  ·  ');
}

function statusOf({ statusGroup, status }: CardFacts): string {
  return `${statusMark(statusGroup)} *${escapeMrkdwn(status)}*`;
}

/** Returns the context line's optional parts, for both cards. */
function contextParts(facts: CardFacts): (string | undefined)[] {
  return [
    facts.due ? `Due ${moment(facts.due)}` : undefined,
    approvalOf(facts),
    readersWords(facts),
    facts.answering ? `:writing_hand: ${escapeMrkdwn(facts.answering)} is replying…` : undefined,
  ];
}

/** Says what a requester may expect now (B25). */
function nextStep(facts: CardFacts): string {
  const code = `*${link(facts.url, facts.code)}*`;
  const team = facts.queue === undefined ? 'The team' : escapeMrkdwn(facts.queue);
  const who = facts.assignee === undefined ? team : escapeMrkdwn(facts.assignee);
  if (facts.mergedInto) {
    const target = `*${link(facts.mergedInto.url, facts.mergedInto.code)}*`;
    return `${code} continues as ${target}. What you write here is added to ${target}.`;
  }
  const { statusGroup } = facts;
  if (statusGroup === 'Done' || statusGroup === 'Closed')
    return `${code} is ${statusGroup.toLowerCase()}. Reply here if you still need help.`;
  if (facts.approval === 'declined')
    return `${code} was declined${byWhom(facts.decidedBy)}. Reply here if you have questions.`;
  if (statusGroup === 'Waiting') return `${code} is on hold. Reply here if ${team} asked you for something.`;
  if (statusGroup === 'In Progress') return `${who} is working on ${code}.`;
  if (facts.reopened) return `${code} is open again. ${who} has your new message.`;
  const thanks = facts.firstName === undefined ? 'Thanks.' : `Thanks, ${escapeMrkdwn(facts.firstName)}.`;
  return `${thanks} ${who} has got it: ${code}.${promiseOf(facts)}`;
}

function promiseOf({ firstReply }: CardFacts): string {
  if (firstReply === undefined) return '';
  if (firstReply.isOver) return ' This is taking longer than usual.';
  return ` You’ll usually hear back ${byMoment(firstReply.at)}.`;
}

/** Says who reads a ticket that not everyone may read; a lock only where no channel reads its thread. */
function readersWords({ private: isPrivate, readers, askedIn }: CardFacts): string | undefined {
  if (isPrivate) return ':lock: private';
  if (readers !== 'team' && readers !== 'agents') return undefined;
  const who = readers === 'team' ? 'its team' : 'agents';
  return askedIn === undefined
    ? `:lock: only ${who} and those who take part`
    : `:eyes: ${who}, and everyone who reads <#${escapeMrkdwn(askedIn)}>`;
}

function approvalOf({ approvers = [], approval, decidedBy, reason }: CardFacts): string | undefined {
  if (approval !== undefined) {
    const by = byWhom(decidedBy);
    const why = becauseOf(reason, REASON_SHOWN);
    return approval === 'approved'
      ? `:white_check_mark: approved${by}${why}`
      : `:no_entry: declined${by}${why}`;
  }
  if (approvers.length === 0) return undefined;
  return `waiting for ${approvers.map((name) => escapeMrkdwn(name)).join(', ')} to approve`;
}

function byWhom(name: string | undefined): string {
  return name === undefined ? '' : ` by ${escapeMrkdwn(name)}`;
}

/** Returns the reason of a decision on one line, behind a colon; nothing without one. */
export function becauseOf(reason: string | null | undefined, characters: number): string {
  return reason ? `: ${escapeMrkdwn(shorten(reason.replaceAll(/\s+/g, ' '), characters))}` : '';
}

/**
 * Returns a date in each reader's own time zone
 * (https://docs.slack.dev/messaging/formatting-message-text#date-formatting).
 * @param timeZone of the reader, if there is only one, for places where Slack shows no local times (notifications).
 */
export function moment(at: Date, timeZone?: string): string {
  const fallback = timeZone
    ? shownAt(at, timeZone)
    : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(at.getTime() / 1000)}^{date_short_pretty} {time}|${fallback}>`;
}

/** Returns "by tomorrow at 1:00 PM" in each reader's own time zone. */
function byMoment(at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  // Within the format, Slack keeps “tomorrow” in small letters.
  return `<!date^${seconds}^by {date_short_pretty} at {time}|by ${shownAt(at, 'UTC')} UTC>`;
}

/** Returns the card of a ticket for those who may not read it (B8, B27): only that there is one. */
export function hiddenCard({ code, private: isPrivate }: { code: string; private: boolean }): Drawn {
  const text = isPrivate
    ? `${code} is a private ticket. Its conversation continues elsewhere.`
    : `${code} is not shown here any more: not everyone may read it.`;
  return { text, blocks: [plainContext(text)] };
}

export const CARD_ACTIONS = {
  assignMe: 'card_assign_me',
  status: 'card_status',
  manage: 'card_manage',
  reply: 'card_reply',
  addDetails: 'card_add_details',
  close: 'card_close',
  reopen: 'card_reopen',
} as const;

/** A card's controls (B25, B26); the message is the same for every viewer, so permissions are checked on press. */
export type CardControls = {
  ticketId: string;
  /** Changes whenever the card does. */
  version: string;
} & (RequesterControls | TeamControls | { for: 'reader' });

interface RequesterControls {
  for: 'requester';
  /** Whether the ticket has ended; for a merged ticket, whether the one it was merged into has. */
  ended: boolean;
  /** The reference of the ticket that continues in place of this one. */
  mergedInto?: string | undefined;
  /** Nobody else sees this card, and _Manage_ has nothing more for its requester. */
  alone?: boolean;
}

interface TeamControls {
  for: 'team';
  unassigned: boolean;
  statusId: string;
  /** The statuses that this ticket may have, in their order. */
  statuses: readonly { id: string; label: string }[];
  /** A card in a triage channel also has a button to reply to the requester. */
  triage: boolean;
}

/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const OPTIONS_AT_MOST = 100;

/**
 * Slack keeps a menu's selection as long as its block id stays, even if the message says otherwise
 * (https://github.com/slackapi/bolt-js/issues/2766): so it changes with every state of the card.
 */
function actionsOf(controls: CardControls) {
  const { ticketId, version } = controls;
  const isAlone = controls.for === 'requester' && controls.alone === true;
  const manage = isAlone ? [] : [button(CARD_ACTIONS.manage, 'Manage', ticketId)];
  return actions([...elementsOf(controls), ...manage], `${version} ${ticketId}`);
}

function elementsOf(controls: CardControls) {
  const { ticketId } = controls;
  if (controls.for === 'reader') return [];
  if (controls.for === 'requester' && controls.mergedInto !== undefined)
    return controls.ended
      ? [button(CARD_ACTIONS.reopen, `Reopen ${controls.mergedInto}`, ticketId)]
      : [button(CARD_ACTIONS.addDetails, 'Add details', ticketId)];
  if (controls.for === 'requester')
    return controls.ended
      ? [button(CARD_ACTIONS.reopen, 'Reopen', ticketId)]
      : [
          button(CARD_ACTIONS.addDetails, 'Add details', ticketId),
          button(CARD_ACTIONS.close, 'Close my request', ticketId),
        ];
  const statuses = controls.statuses.slice(0, OPTIONS_AT_MOST);
  const current = statuses.find(({ id }) => id === controls.statusId);
  return [
    ...(controls.unassigned ? [button(CARD_ACTIONS.assignMe, 'Assign to me', ticketId)] : []),
    ...(statuses.length > 0
      ? [
          {
            type: 'static_select' as const,
            action_id: CARD_ACTIONS.status,
            placeholder: plain('Status'),
            options: statuses.map(optionOf),
            ...(current ? { initial_option: optionOf(current) } : {}),
          },
        ]
      : []),
    ...(controls.triage ? [button(CARD_ACTIONS.reply, 'Reply to requester', ticketId)] : []),
  ];
}

/** Returns the ticket of the used controls. */
export function ticketOfControls(blockId: string): string | undefined {
  return /^\S+ (.+)$/s.exec(blockId)?.[1];
}

const TITLE_SHOWN = 300;
const WORDS_SHOWN = 600;
const REQUEST_SHOWN = 150;
const REASON_SHOWN = 150;

/** Returns a link in mrkdwn; its label cannot close it or open another. */
export function link(url: string, label: string): string {
  return `<${escapeMrkdwn(url)}|${escapeMrkdwn(label).replaceAll('|', '¦')}>`;
}

/** A ticket as the heading of a message or a window. */
export interface Subject {
  code: string;
  url: string;
  title: string;
}

const SUBJECT_SHOWN = 150;

/**
 * Returns a ticket's reference, linked, and its title, and a line behind it. Nothing of them is read as markup: other
 * people wrote it.
 */
export function subjectBlock(
  { code, url, title }: Subject,
  characters = SUBJECT_SHOWN,
  behind?: string,
): RichTextBlock {
  return richLine([
    { type: 'link', url, text: code, style: { bold: true } },
    richWords(`  ${shorten(title, characters)}`),
    ...(behind === undefined ? [] : [richWords(`\n${behind}`)]),
  ]);
}

const SIMILAR_SHOWN = 100;

/** Returns similar tickets below a heading, with who solved each. */
export function similarBlock(heading: string, tickets: readonly SimilarTicket[]): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [
      { type: 'rich_text_section', elements: [richWords(heading, { bold: true })] },
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: tickets.map(({ code, url, title, status, isSolved, assignee }) => {
          const state =
            isSolved && assignee !== undefined
              ? `solved by ${assignee}`
              : [status, assignee].filter(Boolean).join(', ');
          const words = `  ${shorten(title, SIMILAR_SHOWN)}  ·  ${state}`;
          return {
            type: 'rich_text_section' as const,
            elements: [{ type: 'link' as const, url, text: code }, richWords(words)],
          };
        }),
      },
    ],
  };
}
