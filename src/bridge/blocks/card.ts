import type { KnownBlock } from '@slack/types';

import { PRIORITY_WORD, shorten } from '../../contract/index.ts';
import { statusEmoji } from '../decide/emoji.ts';
import { escapeChat } from '../text/to-chat.ts';
import { shownAt } from '../text/zone.ts';

/** What a ticket's card says; names are resolved, text is not yet escaped. */
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
  /** Who has to agree. */
  approvers?: readonly string[];
  /** Undefined while they have not decided. */
  approval?: 'approved' | 'declined' | undefined;
  /** Who decided, where the service says so, and why. */
  decidedBy?: string | undefined;
  reason?: string | null;
  /** Who is writing an answer right now (B57). */
  answering?: string | undefined;
  due?: Date | undefined;
  snoozedUntil?: Date | undefined;
  /** Its requester wrote on it when it was done, and it has not been worked on since (B22). */
  reopened?: boolean;
}

/** A status has one sign everywhere: that of the first message (B29), and a ticket that nobody works on yet its own. */
export function markOf(group: string | undefined): string {
  return `:${(group && statusEmoji(group)) ?? (group === 'Open' ? 'large_blue_circle' : 'ticket')}:`;
}

/**
 * The card (B24): reference and title, where it stands and with whom, then who asked and the rest in one quiet line;
 * readable on a phone.
 */
export function cardOf(facts: CardFacts, controls?: CardControls): { text: string; blocks: KnownBlock[] } {
  const mark = markOf(facts.statusGroup);
  const status = escapeChat(facts.status);
  const line = [
    `${mark} *${status}*`,
    PRIORITY_WORD[facts.priority] ?? escapeChat(facts.priority),
    facts.assignee ? escapeChat(facts.assignee) : 'unassigned',
  ].join('  ·  ');
  const quiet = [
    facts.requester ? `Asked by ${escapeChat(facts.requester)}` : undefined,
    facts.queue ? escapeChat(facts.queue) : undefined,
    facts.due ? `Due ${moment(facts.due)}` : undefined,
    facts.snoozedUntil ? `:zzz: until ${moment(facts.snoozedUntil)}` : undefined,
    approvalOf(facts),
    facts.private ? ':lock: private' : undefined,
    facts.reopened ? 'Opened again by a new message' : undefined,
    facts.answering ? `:writing_hand: ${escapeChat(facts.answering)} is answering` : undefined,
  ].filter((part) => part !== undefined);
  return {
    text: escapeChat(`${facts.code} ${facts.title} (${facts.status})`),
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: `*${link(facts.url, facts.code)}*  ${escapeChat(shorten(facts.title, TITLE_SHOWN))}\n${line}`,
        },
      },
      ...(quiet.length > 0
        ? [
            {
              type: 'context' as const,
              elements: [{ type: 'mrkdwn' as const, verbatim: true, text: quiet.join('  ·  ') }],
            },
          ]
        : []),
      ...(controls ? [actionsOf(controls)] : []),
    ],
  };
}

function approvalOf({ approvers = [], approval, decidedBy, reason }: CardFacts): string | undefined {
  if (approval !== undefined) {
    const by = decidedBy === undefined ? '' : ` by ${escapeChat(decidedBy)}`;
    const why = reason ? `: ${escapeChat(shorten(reason.replaceAll(/\s+/g, ' '), REASON_SHOWN))}` : '';
    return approval === 'approved'
      ? `:white_check_mark: approved${by}${why}`
      : `:no_entry: declined${by}${why}`;
  }
  if (approvers.length === 0) return undefined;
  return `waits for ${approvers.map((name) => escapeChat(name)).join(', ')} to approve`;
}

/**
 * A moment in each reader's own time zone (https://docs.slack.dev/messaging/formatting-message-text#date-formatting).
 * @param timeZone of whoever reads it where chat shows no local times (notifications), if it is one person alone.
 */
export function moment(at: Date, timeZone?: string): string {
  const fallback = timeZone
    ? shownAt(at, timeZone)
    : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(at.getTime() / 1000)}^{date_short_pretty} {time}|${fallback}>`;
}

/** What the card of a private ticket says where others read it (B8, B27): that there is one. */
export function hiddenCard(code: string): { text: string; blocks: KnownBlock[] } {
  const text = `${code} is a private ticket; its conversation goes on elsewhere.`;
  return { text, blocks: [{ type: 'context', elements: [{ type: 'plain_text', text }] }] };
}

/** Action ids of the card's controls. */
export const CARD_ACTIONS = {
  assignMe: 'card_assign_me',
  status: 'card_status',
  manage: 'card_manage',
  reply: 'card_reply',
} as const;

/** What a card lets people do (B25, B26); the message is the same for every viewer, so a press is judged when it comes. */
export interface CardControls {
  ticketId: string;
  statusId: string;
  /** Those that this ticket may have, in their order. */
  statuses: readonly { id: string; label: string }[];
  /** A card in a triage channel also offers an answer to the requester. */
  triage: boolean;
  /** Changes whenever the card does. */
  version: string;
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object and …/block-elements/select-menu-element */
const OPTIONS_AT_MOST = 100;
const OPTION_TEXT = 75;

function actionsOf({ ticketId, statusId, statuses, triage, version }: CardControls): KnownBlock {
  const options = statuses.slice(0, OPTIONS_AT_MOST).map(optionOf);
  const current = statuses.slice(0, OPTIONS_AT_MOST).find(({ id }) => id === statusId);
  return {
    type: 'actions',
    block_id: controlsId(version, ticketId),
    elements: [
      button(CARD_ACTIONS.assignMe, 'Assign to me', ticketId),
      ...(options.length > 0
        ? [
            {
              type: 'static_select' as const,
              action_id: CARD_ACTIONS.status,
              placeholder: { type: 'plain_text' as const, text: 'Status' },
              options,
              ...(current ? { initial_option: optionOf(current) } : {}),
            },
          ]
        : []),
      ...(triage ? [button(CARD_ACTIONS.reply, 'Reply to requester', ticketId)] : []),
      button(CARD_ACTIONS.manage, 'Manage', ticketId),
    ],
  };
}

function button(action_id: string, text: string, value: string) {
  return { type: 'button' as const, action_id, value, text: { type: 'plain_text' as const, text } };
}

/** One choice of a menu. */
export function optionOf({ id, label }: { id: string; label: string }) {
  return { text: { type: 'plain_text' as const, text: shorten(label, OPTION_TEXT) }, value: id };
}

/**
 * The id of a card's controls. Chat keeps what somebody chose in a menu for as long as its block has the same id, also
 * where the message says otherwise meanwhile (https://github.com/slackapi/bolt-js/issues/2766): so it changes with
 * every state of the card.
 */
function controlsId(version: string, ticketId: string): string {
  return `${version} ${ticketId}`;
}

/** The ticket of the controls that were used. */
export function ticketOfControls(blockId: string): string | undefined {
  return /^\S+ (.+)$/s.exec(blockId)?.[1];
}

const TITLE_SHOWN = 300;
const REASON_SHOWN = 150;

/** A link in mrkdwn; its label cannot close it or open another. */
export function link(url: string, label: string): string {
  return `<${escapeChat(url)}|${escapeChat(label).replaceAll('|', '¦')}>`;
}
