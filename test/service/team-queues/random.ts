import { expect } from 'vitest';

import {
  type Metric,
  queueVisibility,
  type WebhookEvent,
  webhookEvent,
} from '../../../src/contract/index.ts';
import { until } from '../../harness/until.ts';
import { type Reader as AnyReader, type ReadQueue, reads } from '../../harness/who-reads.ts';
import type { Body, Running } from '../harness.ts';
import { startReceiver } from '../receiver.ts';
import { signIn } from '../signed-in.ts';
import { uploadFile } from '../upload.ts';
import { undoneWork } from '../work.ts';
import { openTables } from '../world.ts';

interface Queue extends ReadQueue {
  autoAssignees: string[];
}
interface Reader extends AnyReader {
  name: string;
  token: string;
  queueIds: string[] | null;
  /** What its webhook got; people have none. */
  webhook?: Awaited<ReturnType<typeof startReceiver>>;
}
interface Ticket {
  id: string;
  message: string;
  file: string;
  queue: Queue;
  isPrivate: boolean;
  people: string[];
  relatives: Ticket[];
}

/** A random workspace: every step changes who reads what. */
export async function createRandom(running: Running, random: () => number) {
  const { workspaceId, call } = running;
  const { db } = openTables(running);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const some = <T>(from: readonly T[]): T[] => from.filter(() => random() < 0.4);
  const send = async (method: string, path: string, body: object): Promise<Body | undefined> => {
    const answer = await call(method, path, { body });
    expect([path, [200, 422].includes(answer.status), answer.body]).toEqual([path, true, answer.body]);
    return answer.status === 200 ? answer.body : undefined;
  };
  const made = async (path: string, body: object): Promise<Body> => {
    const record = await send('POST', path, body);
    if (!record) throw new Error(`${path} was refused`);
    return record;
  };
  const queues: Queue[] = [];
  for (const prefix of ['AAA', 'BBB', 'CCC'])
    queues.push({
      id: (await made('/queues', { name: prefix, prefix })).id,
      visibility: 'workspace',
      autoAssignees: [],
    });
  const queueIds = () => (random() < 0.3 ? null : some(queues).map(({ id }) => id));
  const readers: Reader[] = [];
  for (const role of ['requester', 'requester', 'agent', 'agent', 'agent', 'agent', 'admin'] as const) {
    const name = `${role} ${readers.length}`;
    const person = { role, name, queueIds: role === 'agent' ? queueIds() : null };
    readers.push({ ...person, ...(await signIn(db, workspaceId, person)) });
  }
  const people = [...readers];
  for (const limits of [null, [queues[0]?.id ?? ''], queueIds()]) {
    const { key, ...made } = (await send('POST', '/api-keys', {
      name: 'K',
      role: 'agent',
      queueIds: limits,
    })) as Body & { userId: string };
    const name = `key ${readers.length}`;
    const webhook = await startReceiver();
    expect((await call('POST', '/webhooks', { token: key, body: { url: webhook.url } })).status).toBe(200);
    readers.push({ name, role: undefined, token: key, personId: made.userId, queueIds: limits, webhook });
  }
  const tickets: Ticket[] = [];
  const anyone = () => pick(people).personId;

  const steps = {
    async ticket() {
      const queue = pick(queues);
      const isPrivate = random() < 0.3;
      const [requester, follower, approver] = [anyone(), anyone(), anyone()];
      const parent = random() < 0.3 && tickets.length > 0 ? pick(tickets) : undefined;
      const { id } = await made('/tickets', {
        title: `striped zebra ${tickets.length}`,
        queueId: queue.id,
        private: isPrivate,
        requesterId: requester,
        authorId: requester,
        followers: [{ id: follower }],
        approverIds: [approver],
        // Whom the queue assigns by itself would be one more who takes part.
        ...(parent && { parentId: parent.id }),
      });
      await send('PUT', `/tickets/${id}`, { data: { assigneeId: null } });
      const message = (await made('/ticket-messages', { ticketId: id, content: 'said' })).id;
      const file = (await uploadFile(running, `/tickets/${id}/files?attach=true`)).body.id;
      const relatives = parent ? [parent] : [];
      const ticket: Ticket = {
        id,
        message,
        file,
        queue,
        isPrivate,
        people: [requester, follower, approver],
        relatives,
      };
      parent?.relatives.push(ticket);
      tickets.push(ticket);
    },
    async link() {
      const [one, other] = [pick(tickets), pick(tickets)];
      if (one === other || one.relatives.includes(other)) return;
      if (!(await send('POST', `/tickets/${one.id}/links`, { ticketId: other.id, kind: 'related' }))) return;
      one.relatives.push(other);
      other.relatives.push(one);
    },
    async move() {
      const [ticket, queue] = [pick(tickets), pick(queues)];
      if (await send('PUT', `/tickets/${ticket.id}`, { data: { queueId: queue.id } })) ticket.queue = queue;
    },
    async makePrivate() {
      const ticket = pick(tickets);
      const isPrivate = !ticket.isPrivate;
      if (await send('PUT', `/tickets/${ticket.id}`, { data: { private: isPrivate } }))
        ticket.isPrivate = isPrivate;
    },
    async switchQueue() {
      const [queue, visibility] = [pick(queues), pick(queueVisibility.options)];
      if (await send('PUT', `/queues/${queue.id}`, { visibility })) queue.visibility = visibility;
    },
    async nameAutoAssignees() {
      const queue = pick(queues);
      const autoAssignees = some(people).map(({ personId }) => personId);
      if (await send('PUT', `/queues/${queue.id}`, { autoAssignees: autoAssignees.join(',') }))
        queue.autoAssignees = autoAssignees;
    },
    async changePerson() {
      const agent = pick(people.filter(({ role }) => role === 'agent'));
      const its = queueIds();
      if (await send('PUT', `/users/${agent.personId}`, { queueIds: its })) agent.queueIds = its;
    },
  };
  const step = () => steps[pick(Object.keys(steps) as (keyof typeof steps)[])]();
  for (let count = 0; count < 6; count++) await steps.ticket();
  /** Changes every ticket, and returns the events that each webhook got of that. */
  let isHigh = false;
  const tell = async (): Promise<Map<Reader, WebhookEvent[]>> => {
    await delivered();
    const before = readers.map(({ webhook }) => webhook?.calls.length ?? 0);
    isHigh = !isHigh;
    const priority = isHigh ? 'HIGH' : 'LOW';
    for (const { id } of tickets)
      expect(await send('PUT', `/tickets/${id}`, { data: { priority } })).toBeDefined();
    await delivered();
    const heard = readers.map(({ webhook }, at) =>
      (webhook?.calls.slice(before[at]) ?? []).map(({ body }) => webhookEvent.parse(JSON.parse(body))),
    );
    return new Map(readers.map((reader, at) => [reader, heard[at] ?? []]));
  };
  const delivered = () => until('every event to be delivered', async () => (await undoneWork({ db })) === 0);
  return { readers, tickets, queues, step, tell };
}

type RandomWorld = Awaited<ReturnType<typeof createRandom>>;
type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>;

/** What a reader looks at. */
interface Look {
  tickets: readonly Ticket[];
  workspaceId: string;
  /** The events of a change of every ticket; undefined for readers without a webhook. */
  heard: readonly WebhookEvent[] | undefined;
}

/** Every surface of the service: what of the tickets a reader finds there; undefined where the reader has no such route. */
export const SURFACES: Record<string, (call: Call, look: Look) => Promise<string[] | number | undefined>> = {
  list: async (call) => idsIn(await call('GET', '/tickets')),
  'thin list': async (call) => idsIn(await call('GET', '/tickets?responseType=thin')),
  'total of a page': async (call) => (await call('GET', '/tickets?limit=1')).body.totalCount,
  words: async (call) => idsIn(await call('GET', '/tickets?search=zebra')),
  'words by relevance': async (call) => idsIn(await call('GET', '/tickets?search=zebra&sortBy=relevance')),
  search: async (call) => idsIn(await call('GET', '/tickets/semantic-search?query=zebra&limit=20')),
  // Each leaves out the ticket that it is similar to.
  similar: async (call, { tickets: [one, other] }) => {
    const like = async (id = '') =>
      idsIn(
        await call('GET', `/tickets/semantic-search?query=striped%20zebra&limit=20&excludeTicketId=${id}`),
      );
    return [...(await like(one?.id)), ...(await like(other?.id))];
  },
  webhook: async (_call, { heard }) => heard?.map(({ ticket }) => ticket?.id ?? ''),
  counts: async (call) => {
    const { body } = await call('POST', '/tickets/counts', { filters: [{ key: 'all', query: {} }] });
    return (body as unknown as { counts: { count: number }[] }).counts[0]?.count;
  },
  queues: async (call) => {
    const { items } = (await call('GET', '/queues')).body;
    return (items as unknown as { _count: { tickets: number } }[]).reduce(
      (sum, { _count }) => sum + _count.tickets,
      0,
    );
  },
  analytics: async (call, { workspaceId }) => {
    const query = { dataSource: 'Ticket', aggregations: [{ type: 'count', field: 'id' }] };
    const { status, body } = await call('POST', '/analytics/preview-metric', { workspaceId, query });
    return status === 403 ? undefined : ((body as unknown as Metric).data[0]?.value ?? 0);
  },
  messages: async (call) =>
    (await call('GET', '/ticket-messages')).body.items.map(({ ticketId }) => ticketId),
  tickets: (call, { tickets }) => readable(call, tickets, ({ id }) => `/tickets/${id}`),
  'tickets’ messages': (call, { tickets }) =>
    readable(call, tickets, ({ message }) => `/ticket-messages/${message}`),
  'tickets’ files': (call, { tickets }) => readable(call, tickets, ({ id }) => `/tickets/${id}/files`),
  activity: (call, { tickets }) => readable(call, tickets, ({ id }) => `/tickets/${id}/activity`),
  presence: (call, { tickets }) => readable(call, tickets, ({ id }) => `/tickets/${id}/presence`),
};

const idsIn = ({ body }: { body: Body }) => body.items.map(({ id }) => id);

async function readable(call: Call, tickets: readonly Ticket[], path: (ticket: Ticket) => string) {
  const found: string[] = [];
  for (const ticket of tickets) {
    const { status } = await call('GET', path(ticket));
    if (status === 403) return undefined;
    if (status === 200) found.push(ticket.id);
    else expect([path(ticket), status]).toEqual([path(ticket), 404]);
  }
  return found;
}

/** How often the rule was compared with what a reader found, and where that was something else. */
interface Compared {
  comparisons: number;
  different: string[];
}

/**
 * Compares what every surface shows every reader with the rule: each ticket that it may list, or its one number; and the
 * relatives that it names of those it shows.
 */
export async function compare(
  { call: send, workspaceId }: Running,
  { readers, tickets, tell }: RandomWorld,
): Promise<Compared> {
  const told = await tell();
  const different = new Set<string>();
  let comparisons = 0;
  for (const reader of readers) {
    const call: Call = (method, path, body) => send(method, path, { token: reader.token, body });
    const heard = reader.webhook && told.get(reader);
    for (const [surface, look] of Object.entries(SURFACES)) {
      const found = await look(call, { tickets, workspaceId, heard });
      if (found === undefined) continue;
      const seen = tickets.filter((ticket) => reads(reader, ticket));
      comparisons += typeof found === 'number' ? 1 : tickets.length;
      const isSame =
        typeof found === 'number'
          ? found === seen.length
          : tickets.every((ticket) => found.includes(ticket.id) === reads(reader, ticket)) &&
            found.every((id) => tickets.some((ticket) => ticket.id === id));
      if (!isSame) different.add(surface);
    }
    const list = (await call('GET', '/tickets')).body.items;
    for (const ticket of tickets.filter((one) => reads(reader, one)))
      for (const record of [
        list.find(({ id }) => id === ticket.id),
        (await call('GET', `/tickets/${ticket.id}`)).body,
        heard?.filter((event) => event.ticket?.id === ticket.id),
      ]) {
        const text = JSON.stringify(record ?? null);
        const named = ticket.relatives.filter(({ id }) => text.includes(id));
        comparisons += ticket.relatives.length;
        if (named.some((relative) => !reads(reader, relative))) different.add('relatives');
      }
  }
  return { comparisons, different: [...different] };
}

/** Compares at some moments of a random workspace. */
export async function walk(running: Running, random: () => number): Promise<Compared> {
  const world = await createRandom(running, random);
  const different = new Set<string>();
  let comparisons = 0;
  for (let round = 0; round < 4; round++) {
    for (let count = 0; count < 4; count++) await world.step();
    const compared = await compare(running, world);
    comparisons += compared.comparisons;
    for (const surface of compared.different) different.add(surface);
  }
  return { comparisons, different: [...different] };
}
