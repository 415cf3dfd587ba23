// The public page of a ticket, to which references in Slack lead. Its links are signed and expire.

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { ownTurn } from '../../../platform/own-turn.ts';
import { escapeHtml, markdownToHtml } from '../../../platform/text/to-html.ts';
import { pageOf, PAGE_HEADERS, sayingPage } from './layout.ts';
import { PRIORITY_WORD, type TicketFile } from '../../../contract/index.ts';
import { attachmentNamed } from '../../../platform/http/index.ts';
import { AnsweredError, ServiceError } from '../../../client/index.ts';
import { SERVICE_AWAY } from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import { UNTITLED } from '../../tickets/rules.ts';
import { readNamed, type Ticket } from '../../tickets/find-ticket.ts';
import { messagesOf, type TicketMessage } from '../../tickets/ticket-messages.ts';
import { sizeText } from '../../text/file-line.ts';
import { deskPageOf, isGood, LINK_DAYS, PAGE_PATH, requestPageOf } from '../../tickets/ticket-facts.ts';
import { programName, usersOf } from '../../people/people.ts';
import { workspaceOfTicket } from '../../tickets/catalogue.ts';

type PageFile = Pick<TicketFile, 'id' | 'name' | 'size'>;

/** The contents of a ticket's page: only public ones. */
interface TicketView {
  code: string;
  title: string;
  status: string;
  /** Its fields, label and value. */
  facts: readonly (readonly [label: string, value: string | Date])[];
  /** Markdown. */
  description: string;
  files?: readonly PageFile[];
  messages: readonly { author: string; at: Date; content: string; files?: readonly PageFile[] }[];
  /** Earlier messages are not shown. */
  isCut: boolean;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const timeHtml = (at: Date) => `<time datetime="${at.toISOString()}">${MOMENT.format(at)} UTC</time>`;

/** The link that a page was opened with; its files have the same, so they expire with it. */
interface PageLink {
  code: string;
  /** Its signature. */
  key: string;
}

/** A ticket's addresses at the desk. */
interface DeskLinks {
  ofAgents?: string | undefined;
  ofRequester?: string | undefined;
}

/**
 * Returns a read-only ticket; only links can be clicked.
 * @param inDesk its URLs at the desk, if there is one.
 */
export async function drawTicket(
  view: TicketView,
  opened: PageLink,
  inDesk: DeskLinks = {},
): Promise<string> {
  const facts = [['Status', view.status] as const, ...view.facts]
    .map(([label, value]) => {
      const shown = value instanceof Date ? timeHtml(value) : escapeHtml(value);
      return `<div><dt>${escapeHtml(label)}</dt><dd>${shown}</dd></div>`;
    })
    .join('\n');
  // A message of one line is title and description at once.
  const words = view.description.trim() === view.title.trim() ? '' : view.description;
  const request = `${markdownToHtml(words, { files: namesOf(view.files) })}${filesHtml(opened, view.files)}`;
  const description = request === '' ? '' : `<h2>Request</h2>\n<div class="text">${request}</div>`;
  return pageOf(
    `${view.code} ${view.title}`,
    `<p class="code">${escapeHtml(view.code)}</p>
<h1>${escapeHtml(view.title)}</h1>
<dl>
${facts}
</dl>
${description}
${await conversationHtml(view, opened)}
<footer class="quiet">This page is read-only. Reply in the ticket’s thread in Slack.${deskHtml(inDesk)}</footer>`,
  );
}

function deskHtml({ ofAgents, ofRequester }: DeskLinks): string {
  const link = (at: string, text: string) => `<a href="${escapeHtml(at)}">${text}</a>`;
  const own = ofRequester && link(ofRequester, 'Reply, close it, or see all your requests');
  const agents = ofAgents && link(ofAgents, 'Open in the desk');
  return `${own ? `<p>Is it your request? ${own}.</p>` : ''}${agents ? `<p>Agents: ${agents}.</p>` : ''}`;
}

async function conversationHtml({ messages, isCut }: TicketView, opened: PageLink): Promise<string> {
  if (messages.length === 0) return '<h2>Conversation</h2>\n<p class="quiet">No replies yet.</p>';
  const items: string[] = [];
  for (const { author, at, content, files } of messages) {
    items.push(
      `<li><header><strong>${escapeHtml(author)}</strong> ${timeHtml(at)}</header>\n${markdownToHtml(content, { files: namesOf(files) })}${filesHtml(opened, files)}</li>`,
    );
    // Yields to the event loop between two long texts.
    await ownTurn();
  }
  const cut = isCut ? '<p class="quiet">Earlier messages are not shown here; the ticket has them.</p>\n' : '';
  return `<h2>Conversation</h2>\n${cut}<ol class="talk">\n${items.join('\n')}\n</ol>`;
}

const namesOf = (files: readonly PageFile[] = []) => files.map(({ name }) => name);

/** Links to download files; their addresses are relative to the page's. */
function filesHtml({ code, key }: PageLink, files: readonly PageFile[] = []): string {
  const links = files.map(({ id, name, size }) => {
    const at = `${encodeURIComponent(code)}/files/${encodeURIComponent(id)}?k=${encodeURIComponent(key)}`;
    return `<li><a href="${escapeHtml(at)}" download>${escapeHtml(name)}</a> <span class="quiet">${sizeText(size)}</span></li>`;
  });
  return links.length === 0 ? '' : `\n<ul>${links.join('')}</ul>`;
}

/** Messages on a page, the newest, and the characters of their texts: people read the rest at the ticket. */
const SHOWN = { messages: 200, characters: 1_000_000 };

/**
 * Returns the newest of a ticket's public messages, oldest first. Of a service that lists them newest first no more are
 * read; of another one all are, and the newest are kept.
 */
async function newestOf(
  listed: AsyncIterable<TicketMessage>,
): Promise<{ shown: TicketMessage[]; isCut: boolean }> {
  const newest: TicketMessage[] = [];
  let [isFalling, previous, isCut] = [true, '~', false];
  for await (const message of listed) {
    isFalling &&= message.createdAt <= previous;
    previous = message.createdAt;
    if (message.private || message.deleted) continue;
    const after = newest.findLastIndex(({ createdAt }) => createdAt >= message.createdAt);
    newest.splice(after + 1, 0, message);
    while (newest.length > 1 && isTooMuch(newest)) {
      newest.pop();
      isCut = true;
    }
    if (isCut && isFalling) break;
  }
  return { shown: newest.reverse(), isCut };
}

function isTooMuch(messages: readonly TicketMessage[]): boolean {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  return messages.length > SHOWN.messages || characters > SHOWN.characters;
}

/**
 * Serves `PAGE_PATH/<reference>?k=…`: a public ticket, and its files below it, for everyone with a recent link. Without
 * a valid signature the service is not called, and every reference gets the same response; private content is never
 * shown (docs/api.md, The ticket's page).
 */
export function ticketPage(
  bridges: () => readonly Bridge[],
  { clock, command }: Pick<Bridge, 'clock' | 'command'>,
): FastifyPluginAsync {
  interface Asked {
    Params: { code: string; file?: string };
    Querystring: { k?: unknown };
  }
  return async (app) => {
    type Show = (
      bridge: Bridge,
      view: TicketView,
      request: FastifyRequest<Asked>,
      reply: FastifyReply,
    ) => Promise<FastifyReply>;
    const withTicket = (show: Show) => async (request: FastifyRequest<Asked>, reply: FastifyReply) => {
      const { code } = request.params;
      const bridge = bridges().find(({ pageKey }) => isGood(pageKey, code, request.query.k, clock.now()));
      if (!bridge) return answer(reply, 404, noKey(command));
      try {
        const view = await viewOf(bridge, code);
        return view ? await show(bridge, view, request, reply) : await answer(reply, 404, NOT_SHOWN);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        bridge.log.warn({ err: error, event: 'page.not_shown' }, 'a ticket could not be shown on its page');
        return answer(reply.header('retry-after', '30'), 503, AWAY);
      }
    };
    app.get<Asked>(
      `${PAGE_PATH}/:code`,
      withTicket(async (bridge, view, { params, query }, reply) => {
        const inDesk = {
          ofAgents: deskPageOf(bridge, view.code),
          ofRequester: requestPageOf(bridge, view.code),
        };
        const opened = { code: params.code, key: String(query.k) };
        return answer(reply, 200, await drawTicket(view, opened, inDesk));
      }),
    );
    app.get<Asked>(
      `${PAGE_PATH}/:code/files/:file`,
      withTicket(async ({ serviceFiles }, { files = [], messages }, { params }, reply) => {
        const file = [...files, ...messages.flatMap((each) => each.files ?? [])].find(
          (each) => each.id === params.file,
        );
        if (!file) return answer(reply, 404, NOT_SHOWN);
        const bytes = await serviceFiles.download(file.id);
        return reply
          .headers({ ...PAGE_HEADERS, 'content-disposition': attachmentNamed(file.name) })
          .header('content-length', file.size)
          .type('application/octet-stream')
          .send(bytes);
      }),
    );
  };
}

/** The same for every reference and every expired link: guessing reveals nothing. */
function noKey(command: string): string {
  return sayingPage(
    'This link has expired',
    `Links to tickets are valid for ${LINK_DAYS} days. For a new link, type ${command} show and the ticket’s reference in Slack.`,
  );
}
const NOT_SHOWN = sayingPage(
  'This ticket is not shown here',
  'It is not for everyone, archived or was deleted. Its requester finds the conversation in Slack.',
);
const AWAY = sayingPage('The help desk is unavailable', SERVICE_AWAY);

function answer(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(html);
}

/** Returns the public contents of a ticket; undefined if there are none. Throws ServiceError. */
async function viewOf(bridge: Bridge, code: string): Promise<TicketView | undefined> {
  const ticket = await readNamed(bridge, code).catch((error: unknown) => {
    if (error instanceof AnsweredError && error.next === 'give-up') return undefined;
    throw error;
  });
  if (!ticket?.published || ticket.archivedAt) return undefined;
  // Nobody knows who follows a link.
  if (!(await bridge.channels.isForEveryone(ticket))) return undefined;
  if (!(await bridge.channels.isOffered(ticket.queue?.workspaceId))) return undefined;
  // Without notes (B14), even if a service ignores the filter.
  const newest = { sortBy: 'createdAt', sortDirection: 'desc' } as const;
  const listed = messagesOf(bridge, ticket.id, {
    ...newest,
    workspaceId: workspaceOfTicket(ticket),
    private: false,
  });
  const { shown, isCut } = await newestOf(listed);
  return {
    code: ticket.code,
    title: ticket.title ?? UNTITLED,
    status: ticket.status.label,
    facts: await factsOf(bridge, ticket),
    description: ticket.description ?? '',
    files: ticket.files ?? [],
    messages: shown.map(({ author, agent, workflow, createdAt, content, files = [] }) => ({
      author: agent ? `${agent.name} (AI agent)` : (programName({ workflow }) ?? displayName(author)),
      at: new Date(createdAt),
      content,
      files,
    })),
    isCut,
  };
}

async function factsOf(bridge: Bridge, ticket: Ticket): Promise<[string, string | Date][]> {
  const ids = [ticket.requesterId, ticket.assigneeId].filter((id) => id !== null);
  const users = await usersOf(bridge, ids);
  const byId = (id: string | null) => users.find((user) => user.id === id);
  const facts: [string, string | Date | undefined][] = [
    ['Priority', PRIORITY_WORD[ticket.priority] ?? ticket.priority],
    ['Asked by', ticket.requesterId === null ? undefined : displayName(byId(ticket.requesterId))],
    ['Assignee', ticket.assigneeId === null ? 'Unassigned' : displayName(byId(ticket.assigneeId))],
    ['Queue', ticket.queue?.name],
    ['Opened', new Date(ticket.createdAt)],
    ['Due', ticket.dueAt === null ? undefined : new Date(ticket.dueAt)],
  ];
  return facts.filter((fact): fact is [string, string | Date] => fact[1] !== undefined);
}

/** Returns a name, never an e-mail address: readers of the page need not know it. */
function displayName(user: { firstName: string | null; lastName: string | null } | null | undefined): string {
  return [user?.firstName, user?.lastName].filter(Boolean).join(' ') || 'A user';
}
