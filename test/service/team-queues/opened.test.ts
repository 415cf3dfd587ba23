import { expect, it } from 'vitest';

import { uploadFile } from '../upload.ts';
import { activate } from '../workflows/setup.ts';
import { sharedTeams, type TeamWorld } from './setup.ts';

const newTeams = sharedTeams();

interface Entry {
  action: string;
  actorId: string | null;
  subjectId: string | null;
}

/** Who opened a ticket, as the audit log has it, and as the ticket shows it to somebody. */
async function opened({ call }: TeamWorld, ticket: string, token?: string) {
  const audit = await call('GET', `/audit-entries?action=ticket.opened&subjectId=${ticket}`);
  const activity = await call('GET', `/tickets/${ticket}/activity`, token === undefined ? {} : { token });
  const entries = activity.body.items as unknown as { kind: string; actor: { id: string } }[];
  return {
    audit: (audit.body.items as unknown as Entry[]).map(({ actorId }) => actorId),
    shown: entries.filter(({ kind }) => kind === 'opened').map(({ actor }) => actor.id),
  };
}

/** What there is of a ticket whose team somebody else is. */
interface Ids {
  ticket: string;
  message: string;
  file: string;
  draft: string;
  reply: string;
  run: string;
  admin: string;
}
type Way = [name: string, path: (ids: Ids) => string, method?: string, body?: (ids: Ids) => object];

const WAYS: Way[] = [
  ['the ticket', ({ ticket }) => `/tickets/${ticket}`],
  ['its activity', ({ ticket }) => `/tickets/${ticket}/activity`],
  ['its messages', ({ ticket }) => `/ticket-messages?ticketId=${ticket}`],
  ['a message', ({ message }) => `/ticket-messages/${message}`],
  ['its files', ({ ticket }) => `/tickets/${ticket}/files`],
  ['its files in the list', ({ ticket }) => `/files?ticketId=${ticket}`],
  ['the bytes of a file', ({ file }) => `/files/${file}`],
  ['its drafts of replies', ({ ticket }) => `/tickets/${ticket}/reply-drafts`],
  ['its scheduled replies', ({ ticket }) => `/scheduled-replies?ticketId=${ticket}`],
  ['a run of a workflow on it', ({ run }) => `/workflow-runs/${run}`],
  // A write answers what it was written to, also one that changes nothing.
  ['a change of nothing', ({ ticket }) => `/tickets/${ticket}`, 'PUT', () => ({ data: {} })],
  ['a claim', ({ ticket }) => `/tickets/${ticket}/claim`, 'PUT', ({ admin }) => ({ userId: admin })],
  ['archiving', ({ ticket }) => `/tickets/${ticket}`, 'DELETE'],
  ['a change of nothing in a message', ({ message }) => `/ticket-messages/${message}`, 'PUT', () => ({})],
  ['a deletion of a message', ({ message }) => `/ticket-messages/${message}`, 'DELETE'],
  [
    'a change of nothing in a draft',
    ({ draft }) => `/reply-drafts/${draft}`,
    'PUT',
    () => ({ content: 'Soon', version: 1 }),
  ],
  ['a deletion of a scheduled reply', ({ reply }) => `/scheduled-replies/${reply}`, 'DELETE'],
  ['a stop of a run', ({ run }) => `/workflow-runs/${run}/stop`, 'POST', () => ({})],
  ['a file for it', ({ ticket }) => `/tickets/${ticket}/files`, 'POST', formWithFile],
  ['a file for a message', ({ message }) => `/ticket-messages/${message}/files`, 'POST', formWithFile],
];

function formWithFile(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['hello']), 'note.txt');
  return form;
}

it('an admin who opens a ticket of another team is in the audit log and shown to that team, once an hour', async () => {
  const world = await newTeams();
  const { call, ask, post, who } = world;
  const admin = who.root.token;
  const outline = {
    steps: { hand: ['By hand', 'ticket.run'], wait: ['Wait', 'wait.for', { minutes: 60 }] },
    leads: [['hand', 'wait']],
  } as const;
  const workflow = await activate(world, outline, { queueIds: [world.people] });
  for (const [name, path, method = 'GET', bodyOf] of WAYS) {
    const ticket = (await ask('Salary', { followers: [{ id: who.sam.personId }] })).id;
    const ids: Ids = {
      ticket,
      message: (await post('/ticket-messages', { ticketId: ticket, content: 'How much?' })).id,
      file: (await uploadFile(world, `/tickets/${ticket}/files?attach=true`)).body.id,
      draft: (await post(`/tickets/${ticket}/reply-drafts`, { content: 'Soon' })).id,
      reply: (
        await post(
          '/scheduled-replies',
          { ticketId: ticket, content: 'Later', delaySeconds: 3600 },
          who.pia.token,
        )
      ).id,
      run: (await post(`/workflows/${workflow}/run`, { ticketId: ticket })).id,
      admin: who.root.personId,
    };
    expect([name, await opened(world, ticket, who.pia.token)]).toEqual([name, { audit: [], shown: [] }]);
    const body = bodyOf?.(ids);
    const go = async () => {
      const isForm = body instanceof FormData;
      const answer = await fetch(`${world.url}${path(ids)}`, {
        method,
        headers: {
          'x-service-api-token': admin,
          ...(body && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect([name, await go()]).toEqual([name, 200]);
    await go();
    const once = [who.root.personId];
    expect([name, await opened(world, ticket, who.pia.token)]).toEqual([name, { audit: once, shown: once }]);
    // As internal notes: others who read the ticket do not see it.
    expect([name, await opened(world, ticket, who.sam.token)]).toEqual([name, { audit: once, shown: [] }]);
  }
  const { totalCount } = (await call('GET', '/tickets?includeArchived=true', { token: admin })).body;
  expect(totalCount).toBe(WAYS.length);
});

it('a list and a search record nothing', async () => {
  const world = await newTeams();
  const { call, ask, who } = world;
  const ticket = (await ask('Salary')).id;
  for (const path of ['/tickets', '/tickets?search=salary', '/tickets/semantic-search?query=salary'])
    expect((await call('GET', path, { token: who.root.token })).body.items.map(({ id }) => id)).toEqual([
      ticket,
    ]);
  expect(await opened(world, ticket)).toEqual({ audit: [], shown: [] });
});

it('is recorded once, too, of a page that reads the ticket, its messages and its activity at the same moment', async () => {
  const world = await newTeams();
  const { call, ask, who } = world;
  const ticket = (await ask('Salary')).id;
  const reads = ['', '/activity', '/files', '', '/activity', '/files'].map(
    (path) => `/tickets/${ticket}${path}`,
  );
  const answers = await Promise.all(
    [...reads, `/ticket-messages?ticketId=${ticket}`].map((path) =>
      call('GET', path, { token: who.root.token }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const once = [who.root.personId];
  expect(await opened(world, ticket, who.pia.token)).toEqual({ audit: once, shown: once });
});

it('is not recorded of an admin who is of the team or takes part in the ticket, nor of other queues and readers', async () => {
  const world = await newTeams();
  const { call, put, ask, it: queue, people, who, show } = world;
  const read = async (ticket: string, token: string) =>
    expect((await call('GET', `/tickets/${ticket}`, { token })).status).toBe(200);
  const none = { audit: [], shown: [] };
  const own = (await ask('Salary', { followers: [{ id: who.root.personId }] })).id;
  await read(own, who.root.token);
  expect(await opened(world, own)).toEqual(none);

  const others = (await ask('Bonus')).id;
  for (const token of [who.pia.token, who.ada.token, world.token]) await read(others, token);
  expect(await opened(world, others)).toEqual(none);
  const open = (await ask('Laptop', { queueId: queue })).id;
  await read(open, who.root.token);
  expect(await opened(world, open)).toEqual(none);

  await put(`/queues/${people}`, { autoAssignees: who.root.personId });
  await read(others, who.root.token);
  await put(`/queues/${people}`, { autoAssignees: '' });
  await show('agents');
  await read(others, who.root.token);
  expect(await opened(world, others)).toEqual(none);
  await show('team');
  await read(others, who.root.token);
  expect(await opened(world, others)).toEqual({ audit: [who.root.personId], shown: [who.root.personId] });
});
