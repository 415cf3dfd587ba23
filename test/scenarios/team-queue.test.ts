import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';

test('B0 B35 a ticket of a queue of a team is found, shown and changed in Slack by those only who may read it, also by links from before', async () => {
  const world = await startWorld();
  const { chat, service, clock } = world;
  const ask = async (user: string, text: string) => {
    const before = (await chat.ephemeral(CHANNEL, user))?.ts;
    await chat.command(CHANNEL, user, text);
    return until(`an answer to /ticket ${text}`, async () => {
      const last = await chat.ephemeral(CHANNEL, user);
      return last && last.ts !== before ? JSON.stringify(last) : undefined;
    });
  };
  const userOf = async (name: string) =>
    (await service.listUsers({ query: { email: `${name}@acme.example` } })).items[0]?.id ?? '';
  const [ada, ben] = [await userOf('ada'), await userOf('ben')];
  const queue = await service.createQueue({ body: { name: 'Payroll', prefix: 'PAY' } });
  await service.updateUser({ params: { id: ben }, body: { role: 'agent', queueIds: [queue.id] } });
  const ticket = await service.createTicket({
    body: { title: 'Salary of the director', queueId: queue.id, requesterId: ada },
  });
  clock.pass(SETTINGS_CACHE_MS);
  const people = ['ada', 'ben', 'sam', 'mira'];
  for (const name of people) expect([name, await ask(name, 'show PAY-1')]).toEqual([name, titled()]);
  const [address = ''] = /http[^"|>\\]*\/shared\/[^"|>\\]*/.exec(await ask('sam', 'show PAY-1')) ?? [];
  expect((await fetch(address)).status).toBe(200);

  await service.updateQueue({ params: { id: queue.id }, body: { visibility: 'team' } });
  clock.pass(SETTINGS_CACHE_MS);
  // Mira is an admin: only at the desk is it recorded that she opens it.
  for (const [name, reads] of [
    ['ada', true],
    ['ben', true],
    ['sam', false],
    ['mira', false],
  ] as const) {
    const shown = await ask(name, 'show PAY-1');
    expect([name, shown.includes('Salary')]).toEqual([name, reads]);
    if (!reads) expect(shown).toContain('There is no ticket');
  }
  expect(await ask('sam', 'search salary director')).toContain('Nothing found');
  expect(await ask('ben', 'search salary director')).toContain('PAY-1');
  expect(await ask('sam', 'close PAY-1')).toContain('There is no ticket');
  expect((await fetch(address)).status).toBe(404);
  expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Open');

  await service.updateQueue({ params: { id: queue.id }, body: { visibility: 'agents' } });
  clock.pass(SETTINGS_CACHE_MS);
  expect(await ask('sam', 'show PAY-1')).toEqual(titled());
  expect((await fetch(address)).status).toBe(404);
}, 240_000);

const titled = () => expect.stringContaining('Salary of the director') as unknown;
