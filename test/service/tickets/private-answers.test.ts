import { expect, it } from 'vitest';

import type { PersonRole } from '../../../src/contract/index.ts';
import { type Running, sharedService, startTestService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { statementsOf } from '../statements.ts';
import { createWorld, openTables } from '../world.ts';

const newWorkspace = sharedService();

/** Words of answers to a question that is private in this form, in another form only, and nowhere. */
const ANSWERS = { salary: 'Xanadu', elsewhere: 'Shangrila', room: 'Atlantis' };

type Part = 'requesterId' | 'authorId' | 'assigneeId' | 'approverIds' | 'followers';

type Reads =
  /** Reads the answers. */
  | 'requester'
  /** Also finds the ticket by them, as by internal notes. */
  | 'team'
  | 'no';

/** Who reads the ticket: their role, their queues (null: all), and what they are on it. */
const PEOPLE: [
  who: string,
  role: PersonRole,
  queues: 'own' | 'other' | null,
  part: Part | undefined,
  reads: Reads,
][] = [
  ['the requester', 'requester', null, 'requesterId', 'requester'],
  ['an agent who asks, of another queue', 'agent', 'other', 'requesterId', 'requester'],
  ['an agent of the queue', 'agent', 'own', undefined, 'team'],
  ['an agent of all queues', 'agent', null, undefined, 'team'],
  ['an admin', 'admin', null, undefined, 'team'],
  ['an assignee of another queue', 'agent', 'other', 'assigneeId', 'team'],
  ['an assignee who is a requester', 'requester', null, 'assigneeId', 'no'],
  ['the author', 'requester', null, 'authorId', 'no'],
  ['an approver', 'requester', null, 'approverIds', 'no'],
  ['a follower', 'requester', null, 'followers', 'no'],
  ['an approver who is an agent of another queue', 'agent', 'other', 'approverIds', 'no'],
  ['a follower who is an agent of another queue', 'agent', 'other', 'followers', 'no'],
  ['an agent of another queue', 'agent', 'other', undefined, 'no'],
];

/** A form with questions that are private here, elsewhere and nowhere, and a queue besides that of its tickets. */
async function createForm(running: Running) {
  const { call } = running;
  const world = await createWorld(running);
  const field = async (label: string) =>
    (await call('POST', '/custom-fields', { body: { label, type: 'TEXT' } })).body as unknown as {
      id: string;
      key: string;
    };
  const [salary, elsewhere, room] = [await field('Salary'), await field('Elsewhere'), await field('Room')];
  const put = (id: string, body: object) => call('PUT', `/request-types/${id}`, { body });
  const other = (await call('POST', '/request-types', { body: { name: 'Another form' } })).body.id;
  const questions = [
    { customFieldId: salary.id, private: true },
    { customFieldId: room.id, private: false },
  ];
  expect((await put(world.requestType, { customFields: questions })).status).toBe(200);
  expect((await put(other, { customFields: [{ customFieldId: elsewhere.id, private: true }] })).status).toBe(
    200,
  );
  const strange = (await call('POST', '/queues', { body: { name: 'Another team', prefix: 'AT' } })).body.id;
  return { ...world, strange, salary, elsewhere, room };
}

it.each([
  ['public', false],
  ['private', true],
])(
  'answers to private questions of a %s ticket are read by its requester and its team, and found by its team',
  async (_, isPrivate) => {
    const running = await newWorkspace();
    const { call, workspaceId } = running;
    const { db } = openTables(running);
    const form = await createForm(running);
    const queueIds = { own: [form.queue], other: [form.strange] };
    for (const [who, role, queues, part, reads] of PEOPLE) {
      const person = await signIn(db, workspaceId, { role, queueIds: queues && queueIds[queues] });
      const named = part === 'followers' ? [{ id: person.personId }] : [person.personId];
      const body = {
        title: who,
        queueId: form.queue,
        private: isPrivate,
        requesterId: form.user,
        ...(part && { [part]: part === 'followers' || part === 'approverIds' ? named : named[0] }),
      };
      const { id } = (await call('POST', '/tickets', { body })).body;
      // The answer to another form's question stays when the request type changes.
      const write = (data: object) => call('PUT', `/tickets/${id}`, { body: { data } });
      expect((await write({ customFields: { [form.elsewhere.key]: ANSWERS.elsewhere } })).status).toBe(200);
      const answers = { [form.salary.key]: ANSWERS.salary, [form.room.key]: ANSWERS.room };
      expect((await write({ requestTypeId: form.requestType, customFields: answers })).status).toBe(200);

      const isSeen = reads !== 'no' || !isPrivate || part !== undefined;
      const as = { token: person.token };
      const read = await call('GET', `/tickets/${id}`, as);
      expect([who, read.status]).toEqual([who, isSeen ? 200 : 404]);
      if (isSeen)
        expect([who, Object.values(customFieldsOf(read.body)).toSorted()]).toEqual([
          who,
          reads !== 'no' ? Object.values(ANSWERS).toSorted() : [ANSWERS.room],
        ]);
      for (const word of Object.values(ANSWERS)) {
        const isFound = isSeen && (reads === 'team' || word === ANSWERS.room);
        for (const path of ['/tickets?search=', '/tickets/semantic-search?query=']) {
          const { items, matches } = (await call('GET', `${path}${word}`, as)).body as unknown as {
            items: { id: string }[];
            matches?: { ticketId: string; snippets: { text: string }[] }[];
          };
          expect([who, path, word, items.some((each) => each.id === id)]).toEqual([who, path, word, isFound]);
          const snippets = matches?.find(({ ticketId }) => ticketId === id)?.snippets ?? [];
          expect(matches && isFound ? snippets.some(({ text }) => text.includes(word)) : true).toBe(true);
        }
      }
      // Chat asks with a key, on behalf of a person and of their team.
      const onBehalf = new URLSearchParams({
        query: ANSWERS.salary,
        visibleToUserId: person.personId,
        ...(queues === 'own' && { teamQueueIds: form.queue }),
      });
      const inChat = (await call('GET', `/tickets/semantic-search?${onBehalf.toString()}`))
        .body as unknown as {
        items: { id: string }[];
      };
      expect([who, inChat.items.some((each) => each.id === id)]).toEqual([who, queues === 'own']);
      await call('DELETE', `/tickets/${id}`);
    }
  },
);

const customFieldsOf = (body: unknown) => (body as { customFields: Record<string, string> }).customFields;

it('what a person may not read of a ticket is in no answer to their writes, and no guess of theirs is confirmed', async () => {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { db } = openTables(running);
  const form = await createForm(running);
  const approver = await signIn(db, workspaceId, { role: 'requester' });
  const follower = await signIn(db, workspaceId, { role: 'requester' });
  const asked = {
    title: 'A raise',
    queueId: form.queue,
    requestTypeId: form.requestType,
    approverIds: [approver.personId],
    followers: [{ id: follower.personId }],
    customFields: { [form.salary.key]: ANSWERS.salary },
  };
  const { id } = (await call('POST', '/tickets', { body: asked })).body;
  const decide = (guess: unknown) =>
    call('PUT', `/tickets/${id}`, {
      token: approver.token,
      body: {
        data: { approvedAt: '2026-11-20T10:00:00.000Z' },
        expected: { customFields: { [form.salary.key]: guess } },
      },
    });
  // Whose request goes on in this one rates it.
  const theirs = { title: 'Mine', queueId: form.queue, requesterId: follower.personId };
  const { id: merged } = (await call('POST', '/tickets', { body: theirs })).body;
  expect((await call('POST', `/tickets/${merged}/merge`, { body: { intoId: id } })).status).toBe(200);
  const wrong = await decide('Camelot');
  const right = await decide(ANSWERS.salary);
  expect([wrong.status, right.status]).toEqual([409, 409]);
  expect({ ...right.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' });
  const answers = [
    await decide(null),
    await call('POST', `/tickets/${id}/csat`, {
      token: follower.token,
      body: { score: 4, userId: follower.personId },
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.stringify(answers)).not.toContain(ANSWERS.salary);
});

it('a comparison with other fields does not look up who may read private answers', async () => {
  const running = await startTestService({ begins: new Promise(() => undefined) });
  const { call, workspaceId } = running;
  const form = await createForm(running);
  const { token } = await signIn(openTables(running).db, workspaceId, { role: 'agent' });
  const customFields = { [form.salary.key]: ANSWERS.salary };
  const asked = { title: 'A raise', queueId: form.queue, requestTypeId: form.requestType, customFields };
  const { id } = (await call('POST', '/tickets', { body: asked })).body;
  const lookUps = async (expected: object) => {
    const texts = await statementsOf(() =>
      call('PUT', `/tickets/${id}`, { token, body: { data: { priority: 'HIGH' }, expected } }),
    );
    return texts.filter((text) => text.includes('as private_types') && text.includes('f.key = any')).length;
  };
  await lookUps({});
  const ofAnswer = await lookUps({});
  expect(ofAnswer).toBeGreaterThan(0);
  expect(await lookUps({ title: 'A raise' })).toBe(ofAnswer);
  expect(await lookUps({ customFields })).toBe(ofAnswer + 1);
});

it('a title made from a form leaves out the answers to its private questions', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const form = await createForm(running);
  const titleTemplate = `{{${form.salary.key}}} in {{${form.room.key}}}`;
  await call('PUT', `/request-types/${form.requestType}`, { body: { titleTemplate } });
  const customFields = { [form.salary.key]: ANSWERS.salary, [form.room.key]: ANSWERS.room };
  const made = await call('POST', '/tickets', {
    body: { requestTypeId: form.requestType, queueId: form.queue, description: 'x', customFields },
  });
  expect((made.body as unknown as { title: string }).title).toBe(`in ${ANSWERS.room}`);
});
