import { expect, it } from 'vitest';

import type { WorkflowOutline } from '../../../src/service/workflow-config/outline.ts';
import { TEMPLATES } from '../../../src/service/workflow-config/templates.ts';
import { create, put, statuses } from '../tickets/requests.ts';
import { messagesOf, onlyRun, setUp, states } from './setup.ts';

const DAY_MS = 24 * 60 * 60_000;

function template(name: string): WorkflowOutline {
  const found = TEMPLATES.find((each) => each.name === name);
  if (!found) throw new Error(`no template ${name}`);
  return found;
}

async function waiting() {
  const world = await setUp();
  await world.activate(template('Remind the requester, then close'));
  const { id: requesterId } = await world.send('POST', '/users', {
    firstName: 'Ada',
    email: 'ada@acme.example',
  });
  const { id } = await create(world.service, { requesterId });
  const byLabel = await statuses(world.service);
  await put(world.service, id, { statusId: byLabel['Waiting'] });
  await world.settled();
  return { ...world, id, requesterId, byLabel };
}

it('a requester is reminded after three days of waiting, and the ticket is closed after five', async () => {
  const { pass, service, send, id } = await waiting();
  await pass(3 * DAY_MS - 60_000);
  expect(await messagesOf(service, id)).toEqual([]);
  await pass(2 * 60_000);
  expect(states(await onlyRun(service))).toMatchObject({ first: 'done', still: 'done', remind: 'done' });
  expect(await messagesOf(service, id)).toEqual([expect.stringContaining('We still need your answer')]);
  await pass(2 * DAY_MS - 60_000 * 5);
  expect((await send('GET', `/tickets/${id}`)).status.label).toBe('Waiting');
  await pass(10 * 60_000);
  expect((await send('GET', `/tickets/${id}`)).status.label).toBe('Closed');
  expect(await messagesOf(service, id)).toHaveLength(1);
  expect((await onlyRun(service)).state).toBe('finished');
});

it('a requester who answers is not reminded, and the ticket stays open', async () => {
  const { pass, service, settled, send, id, requesterId } = await waiting();
  await pass(DAY_MS);
  await send('POST', '/ticket-messages', { ticketId: id, content: 'Here it is', authorId: requesterId });
  await settled();
  await pass(10 * DAY_MS);
  expect(await messagesOf(service, id)).toEqual(['Here it is']);
  expect((await send('GET', `/tickets/${id}`)).status.label).not.toBe('Closed');
});

it('a ticket that went on and waits again is counted from then, and reminded once', async () => {
  const { pass, service, settled, id, byLabel } = await waiting();
  await pass(DAY_MS);
  await put(service, id, { statusId: byLabel['In Progress'] });
  await settled();
  await pass(DAY_MS);
  await put(service, id, { statusId: byLabel['Waiting'] });
  await settled();
  await pass(2 * DAY_MS);
  expect(await messagesOf(service, id)).toEqual([]);
  await pass(DAY_MS + 60_000);
  expect(await messagesOf(service, id)).toHaveLength(1);
});

it.each([
  // It is a Friday.
  ['outside of the business hours', [7], 1],
  ['within them', [1, 2, 3, 4, 5, 6, 7], 0],
] as const)('a ticket that is opened %s is acknowledged or not', async (_when, days, replies) => {
  const { activate, service, settled, send } = await setUp();
  await send('POST', '/business-hours', {
    name: 'Hours',
    timeZone: 'Europe/Berlin',
    days: days.map((day) => ({ day, from: '00:00', to: '24:00' })),
    isDefault: true,
  });
  await activate(template('Out of hours'));
  const { id } = await create(service);
  await settled();
  expect(await messagesOf(service, id)).toHaveLength(replies);
  if (replies > 0) expect((await messagesOf(service, id))[0]).toContain('your request HELP-1 is read');
});
