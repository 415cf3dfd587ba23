import { expect, it } from 'vitest';

import { uploadFile } from '../upload.ts';
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

it('an admin who opens a ticket of another team is in the audit log and shown to that team, once an hour', async () => {
  const world = await newTeams();
  const { call, ask, post, who } = world;
  const admin = who.root.token;
  const ways: [string, (ids: { ticket: string; message: string; file: string }) => string][] = [
    ['the ticket', ({ ticket }) => `/tickets/${ticket}`],
    ['its activity', ({ ticket }) => `/tickets/${ticket}/activity`],
    ['its messages', ({ ticket }) => `/ticket-messages?ticketId=${ticket}`],
    ['a message', ({ message }) => `/ticket-messages/${message}`],
    ['its files', ({ ticket }) => `/tickets/${ticket}/files`],
    ['the bytes of a file', ({ file }) => `/files/${file}`],
  ];
  for (const [name, way] of ways) {
    const ticket = (await ask('Salary', { followers: [{ id: who.sam.personId }] })).id;
    const message = (await post('/ticket-messages', { ticketId: ticket, content: 'How much?' })).id;
    const file = (await uploadFile(world, `/tickets/${ticket}/files?attach=true`)).body.id;
    expect([name, await opened(world, ticket, who.pia.token)]).toEqual([name, { audit: [], shown: [] }]);
    const read = async () => {
      const headers = { 'x-service-api-token': admin };
      const answer = await fetch(`${world.url}${way({ ticket, message, file })}`, { headers });
      await answer.arrayBuffer();
      expect([name, answer.status]).toEqual([name, 200]);
    };
    await read();
    await read();
    const once = [who.root.personId];
    expect([name, await opened(world, ticket, who.pia.token)]).toEqual([name, { audit: once, shown: once }]);
    // As internal notes: others who read the ticket do not see it.
    expect([name, await opened(world, ticket, who.sam.token)]).toEqual([name, { audit: once, shown: [] }]);
  }
  expect((await call('GET', '/tickets', { token: admin })).body.totalCount).toBe(ways.length);
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
