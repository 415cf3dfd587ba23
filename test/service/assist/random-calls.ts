import type { QueueVisibility } from '../../../src/contract/index.ts';
import { TOOLS } from '../../../src/service/assist/tools/index.ts';
import { type Reader as AnyReader, type ReadQueue, reads } from '../../harness/who-reads.ts';
import type { Running } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';
import { allow, callTool, newKey } from './mcp-call.ts';

interface Queue extends ReadQueue {
  mcpMayRead: boolean;
  mcpPrivate: boolean;
}
interface Reader extends AnyReader {
  token: string;
}
interface Ticket {
  id: string;
  /** Words that are nowhere else. */
  title: string;
  note: string;
  draft: string;
  queue: Queue;
  isPrivate: boolean;
  people: string[];
}

/**
 * Calls random tools as random readers, while queues, switches and tickets change.
 * @returns each answer that says what its reader may not read by the rule of `who-reads.ts` and the switches.
 */
export async function callAtRandom(
  running: Running,
  random: () => number,
  calls: number,
): Promise<{ leaks: string[]; answered: number; shown: number }> {
  const { call, workspaceId } = running;
  const { db } = openTables(running);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const made = async (path: string, body: object) => {
    const answer = await call('POST', path, { body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await allow(running);
  const queues: Queue[] = [];
  for (const prefix of ['AAA', 'BBB', 'CCC'])
    queues.push({
      id: (await made('/queues', { name: prefix, prefix })).id,
      visibility: 'workspace',
      autoAssignees: [],
      mcpMayRead: true,
      mcpPrivate: false,
    });
  const [first, second] = queues.map(({ id }) => id);
  const readers: Reader[] = [];
  for (const [role, queueIds] of [
    ['requester', null],
    ['requester', null],
    ['agent', null],
    ['agent', [first ?? '']],
    ['agent', [first ?? '', second ?? '']],
    ['admin', null],
  ] as const) {
    const person = { role, name: role, queueIds: queueIds && [...queueIds] };
    readers.push({ ...person, ...(await signIn(db, workspaceId, person)) });
  }
  // Somebody is in the team of each queue.
  await signIn(db, workspaceId, { role: 'agent', queueIds: queues.map(({ id }) => id) });
  const { body: key } = await call('POST', '/api-keys', {
    body: { name: 'K', role: 'agent', queueIds: [first] },
  });
  readers.push({ role: undefined, personId: '', queueIds: [first ?? ''], token: key.key });
  const tickets: Ticket[] = [];
  const open = async () => {
    const [queue, requester] = [pick(queues), pick(readers.filter(({ role }) => role !== undefined))];
    const number = tickets.length;
    const ticket = {
      title: `zebratitle${number}x`,
      note: `zebranote${number}x`,
      draft: `zebradraft${number}x`,
      queue,
      isPrivate: random() < 0.4,
      people: [requester.personId],
    };
    const { id } = await made('/tickets', {
      title: ticket.title,
      queueId: queue.id,
      private: ticket.isPrivate,
      requesterId: requester.personId,
      authorId: requester.personId,
    });
    await made('/ticket-messages', { ticketId: id, content: ticket.note, private: true });
    await made(`/tickets/${id}/reply-drafts`, { content: ticket.draft });
    tickets.push({ ...ticket, id });
  };
  for (let at = 0; at < 12; at += 1) await open();

  /** Changes who reads what; what the service refuses changes nothing here either. */
  const change = async () => {
    const queue = pick(queues);
    const settings = { mcpMayRead: random() < 0.7, mcpPrivate: random() < 0.5 };
    const visibility = pick<QueueVisibility>(['workspace', 'agents', 'team']);
    const answer = await call('PUT', `/queues/${queue.id}`, { body: { visibility, settings } });
    if (answer.status === 200) Object.assign(queue, { visibility, ...settings });
    const ticket = pick(tickets);
    const isPrivate = random() < 0.4;
    const to = pick(queues);
    const moved = await call('PUT', `/tickets/${ticket.id}`, {
      body: { data: { private: isPrivate, queueId: to.id } },
    });
    if (moved.status === 200) Object.assign(ticket, { isPrivate, queue: to });
    if (random() < 0.2) await open();
  };

  const mayRead = (reader: Reader, ticket: Ticket) =>
    ticket.queue.mcpMayRead && (!ticket.isPrivate || ticket.queue.mcpPrivate) && reads(reader, ticket);
  const leaks: string[] = [];
  let [answered, shown] = [0, 0];
  for (let at = 0; at < calls; at += 1) {
    if (at % 25 === 0) await change();
    const [reader, tool, ticket] = [pick(readers), pick(TOOLS), pick(tickets)];
    const input = inputOf(tool.name, ticket, random);
    const { output, text } = await callTool(running, reader.token, tool.name, input);
    if (output) answered += 1;
    for (const each of tickets) {
      const readable = mayRead(reader, each);
      if (text.includes(each.title) && readable) shown += 1;
      const isTeams = readable && isOfTeam(reader, each.queue);
      const hidden = [
        ...(readable ? [] : [each.title]),
        ...(isTeams ? [] : [each.draft]),
        ...(isTeams && each.queue.mcpPrivate ? [] : [each.note]),
      ];
      for (const word of hidden)
        if (text.includes(word))
          leaks.push(
            `${tool.name} told ${reader.role ?? 'key'} ${word} (call ${at}, ${JSON.stringify(input)})`,
          );
    }
  }
  return { leaks, answered, shown };
}

/** The rule for internal notes: the agents whose queues name it, agents of all queues but for other teams, and admins. */
function isOfTeam({ role, queueIds }: Reader, { id, visibility }: Queue): boolean {
  if (role === 'requester') return false;
  if (role === 'agent' && queueIds === null) return visibility !== 'team';
  return role === 'admin' || queueIds === null || queueIds.includes(id);
}

function inputOf(name: string, { id, title }: Ticket, random: () => number): object {
  const idempotencyKey = newKey();
  const half = random() < 0.5;
  const inputs: Record<string, object> = {
    search_tickets: half ? {} : { query: random() < 0.5 ? 'zebra' : title, limit: 20 },
    get_ticket: { ticket: id },
    find_similar: { ticket: id, limit: 20 },
    search_documents: { query: 'zebra' },
    list_choices: { kind: half ? 'people' : 'queues' },
    my_work: { limit: 20 },
    create_ticket: { title: 'another', idempotencyKey },
    add_note: { ticket: id, text: 'another', idempotencyKey },
    change_ticket: {
      ticket: id,
      priority: half ? 'HIGH' : 'LOW',
      expected: { priority: 'MEDIUM' },
      idempotencyKey,
    },
    decide_approval: { ticket: id, decision: 'approved', idempotencyKey },
    draft_reply: { ticket: id, text: 'another', idempotencyKey },
    send_reply: { draftId: 'rdf_none', version: 1, idempotencyKey },
  };
  return inputs[name] ?? {};
}
