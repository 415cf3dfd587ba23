import { expect, test } from 'vitest';

import { seeded } from '../harness/seeded.ts';
import { type Answered, type Body, sharedService } from '../service/harness.ts';
import { signIn } from '../service/signed-in.ts';
import { uploadFile } from '../service/upload.ts';
import { openTables } from '../service/world.ts';
import { LONG, SEED } from './drill.ts';

const newWorkspace = sharedService();

const WALKS = LONG ? 60 : 4;
const STEPS = 45;
const TICKETS = 6;

/** Merges and their undoing happen to the first one only; everything else to both. */
interface Twins {
  merged: string;
  never: string;
}

/** What is compared at the end, for one of the twins. */
interface State {
  ticket: unknown;
  messages: unknown[];
  files: string[];
  readers: string[];
}

async function walk(seed: number): Promise<{ merges: number; undone: number; replies: number }> {
  const random = seeded(seed);
  const upTo = (count: number) => Math.floor(random() * count);
  const pick = <One>(all: readonly One[]): One => {
    const one = all[upTo(all.length)];
    if (one === undefined) throw new Error('nothing to choose from');
    return one;
  };
  const service = await newWorkspace();
  const { call, workspaceId } = service;
  const { db } = openTables(service);
  const [queueA = '', queueB = ''] = await Promise.all(
    ['AAA', 'BBB'].map(
      async (prefix) => (await call('POST', '/queues', { body: { name: prefix, prefix } })).body.id,
    ),
  );
  const signedIn = async (name: string, role: 'requester' | 'agent', queueIds: string[] | null = null) => ({
    name,
    ...(await signIn(db, workspaceId, { role, queueIds, name })),
  });
  const requesters = [
    await signedIn('Ada', 'requester'),
    await signedIn('Ben', 'requester'),
    await signedIn('Cem', 'requester'),
  ];
  const agents = [await signedIn('Ann', 'agent', [queueA]), await signedIn('Bob', 'agent', [queueB])];
  const readers = [...requesters, ...agents];
  const tag = (await call('POST', '/tags', { body: { name: 'x', color: '#000000' } })).body.id;
  const open = (await call('GET', '/statuses')).body.items.find(({ label }) => label === 'Open')?.id ?? '';

  const twins: Twins[] = [];
  for (let index = 0; index < TICKETS; index++) {
    const body = {
      title: `T${index}`,
      queueId: pick([queueA, queueB]),
      requesterId: pick(requesters).personId,
      private: index % 3 > 0,
      followers: requesters.filter(() => random() < 0.6).map(({ personId }) => ({ id: personId })),
    };
    const [merged, never] = [
      await call('POST', '/tickets', { body }),
      await call('POST', '/tickets', { body }),
    ];
    twins.push({ merged: merged.body.id, never: never.body.id });
  }
  const twinOf = (id: string) => twins.find(({ merged }) => merged === id)?.never ?? '';
  const messages: Twins[] = [];
  const read = async (id: string) => (await call('GET', `/tickets/${id}`)).body;
  const messagesOf = async (id: string, token?: string) =>
    (await call('GET', `/ticket-messages?limit=1000&ticketId=${id}`, token ? { token } : {})).body.items;

  /** What each reader reads: private tickets and their messages, and notes everywhere. */
  async function secretsRead(side: keyof Twins): Promise<Set<string>> {
    const seen = new Set<string>();
    const isPrivate = new Map<string, boolean>();
    for (const twin of twins) isPrivate.set(twin[side], (await read(twin[side])).private);
    for (const { name, token } of readers)
      for (const [index, twin] of twins.entries()) {
        const id = twin[side];
        const shown = (await call('GET', `/tickets/${id}`, { token })).status === 200;
        if (shown && isPrivate.get(id)) seen.add(`${name} ticket ${index}`);
        for (const message of await messagesOf(id, token)) {
          const { source } = message as Body & { source: string };
          const number = messages.findIndex((one) => one[side] === message.id);
          if (source !== 'SYSTEM' && (message.private || isPrivate.get(id)))
            seen.add(`${name} message ${number}`);
        }
      }
    return seen;
  }
  const both = async (
    { merged, never }: Twins,
    change: (id: string) => Promise<Answered>,
  ): Promise<[Answered, Answered] | undefined> => {
    const answer = await change(merged);
    expect(answer.status).toBeLessThan(500);
    if (answer.status >= 400) return undefined;
    const other = await change(never);
    expect(other.status).toBe(200);
    return [answer, other];
  };
  const update = (twin: Twins, data: object, more = {}) =>
    both(twin, (id) => call('PUT', `/tickets/${id}`, { body: { data, ...more } }));

  const counts = { merges: 0, undone: 0, replies: 0 };
  const mayGainNothing = async (change: () => Promise<Answered>) => {
    const before = await secretsRead('merged');
    const answer = await change();
    expect(answer.status).toBeLessThan(500);
    const gained = [...(await secretsRead('merged'))].filter((one) => !before.has(one));
    expect([seed, gained]).toEqual([seed, []]);
    return answer.status < 400;
  };
  const merge = async () => {
    // Mostly of the same visibility, or it is refused.
    const from = upTo(TICKETS);
    const into = pick(twins.filter((_, index) => index % 3 > 0 === from % 3 > 0)).merged;
    if (into === twins[from]?.merged) return;
    if (
      await mayGainNothing(() =>
        call('POST', `/tickets/${twins[from]?.merged}/merge`, { body: { intoId: into } }),
      )
    )
      counts.merges++;
  };
  const undo = async ({ merged }: Twins) => {
    if ((await read(merged)).mergedIntoId === null) return;
    const reopened = await mayGainNothing(() =>
      call('PUT', `/tickets/${merged}`, { body: { data: { statusId: open } } }),
    );
    if (reopened) counts.undone++;
  };
  const reply = async () => {
    const author = pick([...requesters, ...agents]).personId;
    const isNote = random() < 0.3;
    const content = `words ${messages.length}`;
    const body = { content, authorId: author, private: isNote };
    const first = await call('POST', '/ticket-messages', { body: { ...body, ticketId: pick(twins).merged } });
    expect(first.status).toBe(200);
    const ticketId = twinOf(first.body.ticketId);
    const second = await call('POST', '/ticket-messages', { body: { ...body, ticketId } });
    messages.push({ merged: first.body.id, never: second.body.id });
    counts.replies++;
  };
  const follow = async (twin: Twins) => {
    const who = pick(requesters).personId;
    const [merged, never] = [await read(twin.merged), await read(twin.never)];
    const isFollowing = merged.followers.some(({ id }) => id === who);
    // Nobody adds a person who follows already, if only because of a merge.
    if (isFollowing && !never.followers.some(({ id }) => id === who) && random() < 0.5) return;
    for (const [id, { followers }] of [
      [twin.merged, merged],
      [twin.never, never],
    ] as const) {
      const others = followers.filter((one) => one.id !== who).map((one) => ({ id: one.id }));
      const data = { followers: isFollowing ? others : [...others, { id: who }] };
      expect((await call('PUT', `/tickets/${id}`, { body: { data } })).status).toBe(200);
    }
  };
  const isMerged = async ({ merged }: Twins) => (await read(merged)).mergedIntoId !== null;
  const STEP: Record<string, (twin: Twins) => Promise<unknown>> = {
    undo,
    reply,
    replyAgain: reply,
    follow,
    edit: async () => {
      if (messages.length > 0)
        await both(pick(messages), (id) =>
          call('PUT', `/ticket-messages/${id}`, { body: { content: 'edited' } }),
        );
    },
    hide: async () => {
      if (messages.length > 0)
        await both(pick(messages), (id) =>
          call('PUT', `/ticket-messages/${id}`, { body: { private: true } }),
        );
    },
    remove: async () => {
      if (messages.length > 0) await both(pick(messages), (id) => call('DELETE', `/ticket-messages/${id}`));
    },
    tag: (twin) => update(twin, random() < 0.5 ? { addTags: [{ id: tag }] } : { removeTags: [{ id: tag }] }),
    priority: (twin) => update(twin, { priority: pick(['LOW', 'HIGH', 'URGENT']) }),
    words: (twin) => update(twin, { description: `description ${upTo(1000)}` }),
    snooze: (twin) => update(twin, { snoozeUntil: '2099-01-01T00:00:00Z' }),
    approver: (twin) => update(twin, { approverIds: [pick(agents).personId] }),
    approve: (twin) =>
      update(twin, { approvedAt: '2026-01-01T00:00:00Z' }, { approverId: pick(agents).personId }),
    assign: (twin) => update(twin, { assigneeId: pick(agents).personId }),
    rate: async (twin) => {
      const body = { score: 1 + upTo(5), userId: (await read(twin.merged)).requesterId };
      await both(twin, (id) => call('POST', `/tickets/${id}/csat`, { body }));
    },
    file: async (twin) => {
      if (await isMerged(twin)) return;
      const name = `file-${upTo(1000)}.txt`;
      for (const id of [twin.merged, twin.never])
        expect((await uploadFile(service, `/tickets/${id}/files?attach=true`, { name })).status).toBe(200);
    },
  };
  const others = Object.values(STEP);
  for (let step = 0; step < STEPS; step++) await (random() < 0.3 ? merge() : pick(others)(pick(twins)));
  // Undone in any order: what was merged on comes free only when its own merge is undone.
  while (counts.undone < 1000) {
    const left = [];
    for (const twin of twins) if (await isMerged(twin)) left.push(twin);
    if (left.length === 0) break;
    await undo(pick(left));
  }

  const stateOf = async (side: keyof Twins, index: number): Promise<State> => {
    const id = twins[index]?.[side] ?? '';
    const ticket = (await read(id)) as Body & Record<string, unknown>;
    const readersOf = [];
    for (const { name, token } of readers)
      if ((await call('GET', `/tickets/${id}`, { token })).status === 200) {
        const seen = (await messagesOf(id, token)) as (Body & { source: string })[];
        const own = seen.filter(({ source }) => source !== 'SYSTEM').map(({ content }) => content);
        readersOf.push(`${name}: ${own.join()}`);
      }
    const csat = (ticket['csat'] as { score: number }[]).map(({ score }) => score);
    return {
      ticket: {
        requester: ticket.requesterId,
        assignee: ticket.assigneeId,
        private: ticket.private,
        description: ticket.description,
        priority: ticket['priority'],
        snoozed: ticket.snoozeUntil,
        followers: ticket.followers.map((one) => one.id).sort(),
        approvers: ticket.approvers.map((one) => one.id).sort(),
        approval: (ticket.metadata.approval as { userId?: string } | null)?.userId ?? null,
        tags: (ticket['tags'] as { id: string }[]).map((one) => one.id),
        csat,
        open: ticket.closedAt === null && ticket.resolvedAt === null,
      },
      messages: ((await messagesOf(id)) as (Body & { source: string; deleted: boolean })[])
        .filter(({ source }) => source !== 'SYSTEM')
        .map((one) => [one.content, one.authorId, one.private, one.deleted]),
      files: ((await call('GET', `/tickets/${id}/files`)).body.items as unknown as { name: string }[]).map(
        ({ name }) => name,
      ),
      readers: readersOf,
    };
  };
  for (const index of twins.keys())
    expect([seed, index, await stateOf('merged', index)]).toEqual([
      seed,
      index,
      await stateOf('never', index),
    ]);
  return counts;
}

test('merges, undone in any order, leave every ticket as a twin that was never merged, and let nobody read anything more', async () => {
  const total = { merges: 0, undone: 0, replies: 0 };
  for (let at = 0; at < WALKS; at++) {
    const counts = await walk(SEED + at);
    for (const name of ['merges', 'undone', 'replies'] as const) total[name] += counts[name];
  }
  console.log(`seed ${SEED}:`, total);
  expect(total.merges).toBeGreaterThan(WALKS);
});
