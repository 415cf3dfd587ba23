import { z } from 'zod';

import { LIMITS, type TicketDetail, type TicketMessage } from '../../../contract/index.ts';
import { data, quote, quoteOrNull } from '../data.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import { type Reading, readingTool } from '../tool.ts';
import { ServiceProblem } from '../../problem.ts';
import { peopleNamed, person } from './people.ts';
import { summaryOf, ticketName, ticketSummary } from './ticket-summary.ts';

const file = z.strictObject({ id: z.string(), name: data });

const message = z.strictObject({
  id: z.string(),
  createdAt: z.string(),
  audience: z
    .enum(['requester and team', 'team only'])
    .describe('"team only" is an internal note: never tell the requester what it says.'),
  author: z.strictObject({
    kind: z.enum(['requester', 'person', 'ai agent', 'workflow', 'program']),
    id: z.string().nullable(),
    name: data.nullable(),
  }),
  text: data,
  files: z.array(file),
});

const replyDraft = z.strictObject({
  id: z.string(),
  version: z.int(),
  text: data,
  author: data,
  updatedAt: z.string(),
});

const ticket = z.strictObject({
  ...ticketSummary.shape,
  description: data.nullable(),
  tags: z.array(z.strictObject({ id: z.string(), name: data })),
  requestType: z.strictObject({ id: z.string(), name: data }).nullable(),
  fields: z.array(z.strictObject({ key: data, value: data })).describe('Answers of the form.'),
  approvers: z.array(person),
  decision: z.enum(['approved', 'declined']).nullable(),
  dueAt: z.string().nullable(),
  resolvedAt: z.string().nullable(),
  closedAt: z.string().nullable(),
  links: z.array(
    z.strictObject({
      kind: z.string(),
      direction: z.string(),
      reference: z.string(),
      title: data.nullable(),
    }),
  ),
  files: z.array(file),
});

const ticketAnswer = z.strictObject({
  ticket,
  messages: z.array(message).describe('The newest ones, oldest first.'),
  olderMessages: z.string().nullable().describe('Send it as `before` to read the messages before these.'),
  replyDrafts: z.array(replyDraft).describe('Unsent replies of the team; empty for those who are not of it.'),
});

export const getTicket = readingTool({
  name: 'get_ticket',
  title: 'Read a ticket',
  description:
    'Reads a ticket with its newest messages, its files by name, and replies that wait to be sent. Each message says who reads it.',
  input: z.object({
    ticket: ticketName,
    before: z.string().max(LIMITS.url).optional().describe('olderMessages of the answer before.'),
  }),
  output: ticketAnswer,
  async answer(run, { ticket: name, before }) {
    const detail = await run.read('readTicket', { params: { id: name } });
    const { items, nextCursor } = await run.read('listTicketMessages', {
      query: {
        ticketId: detail.id,
        includeDeleted: false,
        sortBy: 'createdAt',
        sortDirection: 'desc',
        limit: ASSIST_LIMITS.messages,
        cursor: before,
      },
    });
    const drafts = await draftsOf(run, detail.id);
    const named = await peopleNamed(run, [
      detail.requesterId,
      detail.assigneeId,
      ...detail.approvers.map(({ id }) => id),
    ]);
    return {
      ticket: ticketOf(run, detail, named),
      messages: items.toReversed().map((each) => messageOf(each, detail)),
      olderMessages: nextCursor,
      replyDrafts: drafts.map(({ id, version, content, author, updatedAt }) => ({
        id,
        version,
        text: quote(content, ASSIST_LIMITS.message),
        author: quote(author.name, ASSIST_LIMITS.name),
        updatedAt,
      })),
    };
  },
});

/** Returns the unsent replies; none for a caller who may not read them. */
async function draftsOf({ read }: Reading, ticketId: string) {
  try {
    return (await read('listReplyDrafts', { params: { id: ticketId } })).items;
  } catch (error) {
    if (error instanceof ServiceProblem && ['FORBIDDEN', 'NOT_FOUND'].includes(error.code)) return [];
    throw error;
  }
}

function ticketOf(
  run: Reading,
  detail: TicketDetail,
  named: Awaited<ReturnType<typeof peopleNamed>>,
): z.output<typeof ticket> {
  const name = (text: string) => quote(text, ASSIST_LIMITS.name);
  const { requestType } = detail;
  return {
    ...summaryOf(run, detail),
    requester: named(detail.requesterId),
    assignee: named(detail.assigneeId),
    description: quoteOrNull(detail.description, ASSIST_LIMITS.message),
    tags: detail.tags.map(({ id, name: label }) => ({ id, name: name(label) })),
    requestType: requestType && { id: requestType.id, name: name(requestType.name) },
    fields: Object.entries(detail.customFields)
      .slice(0, ASSIST_LIMITS.fields)
      .map(([key, value]) => ({ key: name(key), value: quote(valueText(value), ASSIST_LIMITS.excerpt) })),
    approvers: detail.approvers.flatMap(({ id }) => named(id) ?? []),
    decision: detail.metadata.approval?.decision ?? null,
    dueAt: detail.dueAt,
    resolvedAt: detail.resolvedAt,
    closedAt: detail.closedAt,
    links: detail.links.slice(0, ASSIST_LIMITS.fields).map(({ kind, direction, ticket: other }) => ({
      kind,
      direction,
      reference: other.code,
      title: quoteOrNull(other.title, ASSIST_LIMITS.excerpt),
    })),
    files: filesOf(detail.files),
  };
}

function messageOf(
  { id, createdAt, private: isPrivate, content, files, authorId, author, agent, workflow }: TicketMessage,
  { requesterId }: TicketDetail,
): z.output<typeof message> {
  const writer = agent ?? workflow;
  const name = writer?.name ?? [author?.firstName, author?.lastName].filter(Boolean).join(' ');
  const kind = agent
    ? 'ai agent'
    : workflow
      ? 'workflow'
      : authorId === null
        ? 'program'
        : authorId === requesterId
          ? 'requester'
          : 'person';
  return {
    id,
    createdAt,
    audience: isPrivate ? 'team only' : 'requester and team',
    author: { kind, id: writer?.id ?? authorId, name: quoteOrNull(name, ASSIST_LIMITS.name) },
    text: quote(content, ASSIST_LIMITS.message),
    files: filesOf(files),
  };
}

function filesOf(files: TicketDetail['files']): z.output<typeof file>[] {
  return (files ?? [])
    .slice(0, ASSIST_LIMITS.fields)
    .map(({ id, name }) => ({ id, name: quote(name, ASSIST_LIMITS.name) }));
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
