import { expect, it } from 'vitest';

import {
  type Metric,
  type PersonRole,
  type QueueVisibility,
  queueVisibility,
} from '../../../src/contract/index.ts';
import { seeded } from '../../harness/seeded.ts';
import { type Body, type Running, sharedService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { uploadFile } from '../upload.ts';
import { openTables } from '../world.ts';

const newWorkspace = sharedService();

interface Queue {
  id: string;
  visibility: QueueVisibility;
  autoAssignees: string[];
}
interface Reader {
  name: string;
  token: string;
  personId: string;
  /** Undefined: a key. */
  role: PersonRole | undefined;
  queueIds: string[] | null;
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

/** The table of docs/admin.md, Who reads a queue, and the roles before it, written once more, as a reader says it. */
function reads({ role, personId, queueIds }: Reader, { queue, isPrivate, people }: Ticket): boolean {
  if (role === undefined) return queueIds === null || queueIds.includes(queue.id);
  if (role === 'admin' || people.includes(personId)) return true;
  if (role === 'requester') return false;
  if (queue.visibility === 'team')
    return (
      (queueIds?.includes(queue.id) ?? false) ||
      (queue.autoAssignees.includes(personId) && (!isPrivate || queueIds === null))
    );
  return !isPrivate || queueIds === null || queueIds.includes(queue.id);
}

/** A random workspace: every step changes who reads what. */
async function createRandom(running: Running, random: () => number) {
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
  for (const limits of [queueIds(), queueIds()]) {
    const { key, ...made } = (await send('POST', '/api-keys', {
      name: 'K',
      role: 'agent',
      queueIds: limits,
    })) as Body & { userId: string };
    const name = `key ${readers.length}`;
    readers.push({ name, role: undefined, token: key, personId: made.userId, queueIds: limits });
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
  return { readers, tickets, queues, step, db };
}

type RandomWorld = Awaited<ReturnType<typeof createRandom>>;
type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Body }>;

/** Every surface of the service: what of the tickets a reader finds there; undefined where the reader has no such route. */
const SURFACES: Record<
  string,
  (call: Call, tickets: readonly Ticket[], workspaceId: string) => Promise<string[] | number | undefined>
> = {
  list: async (call) => idsIn(await call('GET', '/tickets')),
  'thin list': async (call) => idsIn(await call('GET', '/tickets?responseType=thin')),
  'total of a page': async (call) => (await call('GET', '/tickets?limit=1')).body.totalCount,
  words: async (call) => idsIn(await call('GET', '/tickets?search=zebra')),
  'words by relevance': async (call) => idsIn(await call('GET', '/tickets?search=zebra&sortBy=relevance')),
  search: async (call) => idsIn(await call('GET', '/tickets/semantic-search?query=zebra&limit=20')),
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
  analytics: async (call, _tickets, workspaceId) => {
    const query = { dataSource: 'Ticket', aggregations: [{ type: 'count', field: 'id' }] };
    const { status, body } = await call('POST', '/analytics/preview-metric', { workspaceId, query });
    return status === 403 ? undefined : ((body as unknown as Metric).data[0]?.value ?? 0);
  },
  messages: async (call) =>
    (await call('GET', '/ticket-messages')).body.items.map(({ ticketId }) => ticketId),
  tickets: (call, tickets) => readable(call, tickets, ({ id }) => `/tickets/${id}`),
  'tickets’ messages': (call, tickets) =>
    readable(call, tickets, ({ message }) => `/ticket-messages/${message}`),
  'tickets’ files': (call, tickets) => readable(call, tickets, ({ id }) => `/tickets/${id}/files`),
  activity: (call, tickets) => readable(call, tickets, ({ id }) => `/tickets/${id}/activity`),
  presence: (call, tickets) => readable(call, tickets, ({ id }) => `/tickets/${id}/presence`),
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

/** Returns where a surface shows a reader other tickets than the rule says, or names other relatives of those it shows. */
async function differences(
  { call: send, workspaceId }: Running,
  { readers, tickets }: RandomWorld,
): Promise<string[]> {
  const different: string[] = [];
  for (const reader of readers) {
    const call: Call = (method, path, body) => send(method, path, { token: reader.token, body });
    const seen = tickets.filter((ticket) => reads(reader, ticket));
    for (const [surface, look] of Object.entries(SURFACES)) {
      const found = await look(call, tickets, workspaceId);
      const isSame =
        found === undefined ||
        (typeof found === 'number'
          ? found === seen.length
          : [...new Set(found)].toSorted().join() ===
            seen
              .map(({ id }) => id)
              .toSorted()
              .join());
      if (!isSame) different.push(surface);
    }
    const list = (await call('GET', '/tickets')).body.items;
    for (const ticket of seen)
      for (const record of [
        list.find(({ id }) => id === ticket.id),
        (await call('GET', `/tickets/${ticket.id}`)).body,
      ]) {
        const text = JSON.stringify(record ?? null);
        const named = ticket.relatives.filter(({ id }) => text.includes(id));
        if (named.some((relative) => !reads(reader, relative))) different.push('relatives');
      }
  }
  return [...new Set(different)];
}

it.each([1, 2, 3])(
  'whatever is asked, moved and switched, every surface shows every reader what the rule says (seed %d)',
  async (seed) => {
    const running = await newWorkspace();
    const world = await createRandom(running, seeded(seed));
    for (let round = 0; round < 4; round++) {
      for (let count = 0; count < 4; count++) await world.step();
      expect([round, await differences(running, world)]).toEqual([round, []]);
    }
  },
  60_000,
);

it('a leak on any surface would be found', async () => {
  const running = await newWorkspace();
  const world = await createRandom(running, seeded(4));
  expect(await differences(running, world)).toEqual([]);
  // The rule is told that the queues are teams’; the service is not.
  for (const queue of world.queues) queue.visibility = 'team';
  for (const ticket of world.tickets) {
    ticket.isPrivate = false;
    ticket.people = [];
  }
  const found = await differences(running, world);
  expect(found.toSorted()).toEqual([...Object.keys(SURFACES), 'relatives'].toSorted());
});
