import type { KnownBlock } from '@slack/types';

import { escapeChat } from '../text/to-chat.ts';

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
}

const STATUS_MARK: Record<string, string> = {
  Open: ':large_blue_circle:',
  'In Progress': ':eyes:',
  Waiting: ':double_vertical_bar:',
  Done: ':white_check_mark:',
  Closed: ':lock:',
};

const PRIORITY_WORD: Record<string, string> = {
  URGENT: 'Urgent',
  HIGH: 'High',
  MEDIUM: 'Medium',
  LOW: 'Low',
  NO_PRIORITY: 'No priority',
};

/** The card of B24 in its simple form: reference and title, then who and where it stands, readable on a phone. */
export function cardOf(facts: CardFacts): { text: string; blocks: KnownBlock[] } {
  const mark = STATUS_MARK[facts.statusGroup ?? ''] ?? ':ticket:';
  const status = escapeChat(facts.status);
  const line = [
    `${mark} *${status}*`,
    PRIORITY_WORD[facts.priority] ?? escapeChat(facts.priority),
    facts.assignee ? escapeChat(facts.assignee) : 'unassigned',
  ].join('  ·  ');
  const from = [
    facts.requester ? `Asked by ${escapeChat(facts.requester)}` : undefined,
    facts.queue ? escapeChat(facts.queue) : undefined,
    facts.private ? ':lock: private' : undefined,
  ].filter((part) => part !== undefined);
  return {
    text: escapeChat(`${facts.code} ${facts.title} (${facts.status})`),
    blocks: [
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: `*${link(facts.url, facts.code)}*  ${escapeChat(facts.title)}\n${line}`,
        },
      },
      ...(from.length > 0
        ? [
            {
              type: 'context' as const,
              elements: [{ type: 'mrkdwn' as const, verbatim: true, text: from.join('  ·  ') }],
            },
          ]
        : []),
    ],
  };
}

/** What the card of a private ticket says where others read it (B8, B27): that there is one. */
export function hiddenCard(code: string): { text: string; blocks: KnownBlock[] } {
  const text = `${code} is a private ticket; its conversation goes on elsewhere.`;
  return { text, blocks: [{ type: 'context', elements: [{ type: 'plain_text', text }] }] };
}

/** A link in mrkdwn; its label cannot close it or open another. */
export function link(url: string, label: string): string {
  return `<${escapeChat(url)}|${escapeChat(label).replaceAll('|', '¦')}>`;
}
