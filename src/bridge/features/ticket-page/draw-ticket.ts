import { setImmediate } from 'node:timers/promises';

import { escapeHtml, markdownToHtml } from '../../../platform/text/to-html.ts';
import { pageOf } from './layout.ts';

/** The contents of a ticket's page: only public ones. */
export interface TicketView {
  code: string;
  title: string;
  status: string;
  /** Its fields, label and value. */
  facts: readonly (readonly [label: string, value: string])[];
  /** Markdown. */
  description: string;
  messages: readonly { author: string; at: Date; content: string }[];
  /** Earlier messages are not shown. */
  isCut: boolean;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export function momentText(at: Date): string {
  return `${MOMENT.format(at)} UTC`;
}

/** Returns a read-only ticket; only links can be clicked. `inDesk`: the desk's URL for agents. */
export async function drawTicket(view: TicketView, inDesk?: string): Promise<string> {
  const facts = [['Status', view.status] as const, ...view.facts]
    .map(([label, value]) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`)
    .join('\n');
  const description =
    view.description.trim() === ''
      ? ''
      : `<h2>Request</h2>\n<div class="text">${markdownToHtml(view.description)}</div>`;
  return pageOf(
    `${view.code} ${view.title}`,
    `<p class="code">${escapeHtml(view.code)}</p>
<h1>${escapeHtml(view.title)}</h1>
<dl>
${facts}
</dl>
${description}
${await talkOf(view)}
<footer class="quiet">This page is to be read. Answer in the ticket’s thread in chat.${inDesk ? ` Agents: <a href="${escapeHtml(inDesk)}">Open in the desk</a>.` : ''}</footer>`,
  );
}

async function talkOf({ messages, isCut }: TicketView): Promise<string> {
  if (messages.length === 0) return '<h2>Conversation</h2>\n<p class="quiet">Nobody has answered yet.</p>';
  const items: string[] = [];
  for (const { author, at, content } of messages) {
    items.push(
      `<li><header><strong>${escapeHtml(author)}</strong> <time datetime="${at.toISOString()}">${escapeHtml(momentText(at))}</time></header>\n${markdownToHtml(content)}</li>`,
    );
    // Yields to the event loop between two long texts.
    await setImmediate();
  }
  const cut = isCut ? '<p class="quiet">Earlier messages are not shown here; the ticket has them.</p>\n' : '';
  return `<h2>Conversation</h2>\n${cut}<ol class="talk">\n${items.join('\n')}\n</ol>`;
}
