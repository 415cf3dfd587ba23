import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

interface View {
  id: string;
  callback_id: string;
  blocks: { type: string; block_id: string; accessory?: { action_id: string } }[];
}

async function views({ urls }: World, user: string): Promise<{ stack: View[]; home: View | null }> {
  const answer = await fetch(`${urls.sandbox}/_control/views/${user}`);
  return (await answer.json()) as { stack: View[]; home: View | null };
}

const homeWith = (world: World, user: string, words: string, present = true) =>
  until(
    `the Home of ${user} ${present ? 'with' : 'without'} “${words}”`,
    async () => {
      const { home } = await views(world, user);
      return home && JSON.stringify(home).includes(words) === present ? home : undefined;
    },
    { seen: () => views(world, user) },
  );

/** Closes the tickets of the demo: how many wait for whom depends on the day, and a Home shows the first five. */
async function closeAll({ service }: World): Promise<void> {
  const { items } = await service.listStatuses({ query: {} });
  const statusId = items.find(({ statusGroup }) => statusGroup.label === 'Closed')?.id ?? '';
  for await (const { id } of service.all('listTickets', { query: { openFilter: true } }))
    await service.updateTicket({ params: { id }, body: { data: { statusId } } });
}

test('B38 a Home shows open requests, assigned tickets and pending approvals, follows every change, closes a request and opens the form', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  await closeAll(world);
  const { bot } = await chat.state();
  const { ts } = await chat.say('it-help', 'ada', `<@${bot}> the coffee machine leaks`);
  const { id } = await ticketAt(service, ts);

  await chat.post('open-home', { user: 'ada' });
  const home = await homeWith(world, 'ada', 'the coffee machine leaks');
  expect(JSON.stringify(home)).toContain(`p${ts.replace('.', '')}`);
  await chat.post('open-home', { user: 'ben' });
  await homeWith(world, 'ben', 'New ticket');

  // Every change is shown on the Homes of the users concerned.
  const mira = (await service.listUsers({ query: { search: 'Mira' } })).items[0]?.id ?? '';
  await chat.post('open-home', { user: 'mira' });
  await homeWith(world, 'mira', 'New ticket');
  await service.updateTicket({
    params: { id },
    body: { data: { title: 'Coffee in the corridor', assigneeId: mira, approverIds: [mira] } },
  });
  await homeWith(world, 'ada', 'Coffee in the corridor');
  expect(JSON.stringify(await homeWith(world, 'mira', 'Assigned to me'))).toContain('*Waiting for you*');
  await service.createTicketMessage({
    body: { ticketId: id, authorId: mira, content: '**Where** exactly?' },
  });
  const answered = JSON.stringify(await homeWith(world, 'ada', 'Mira Lind, just now: Where exactly?'));
  expect(answered).toContain('*Waiting for you*');
  await chat.say('it-help', 'ada', 'Beside the lift', ts);
  await homeWith(world, 'mira', 'Ada Reyes, just now: Beside the lift');
  await homeWith(world, 'ada', 'You, just now: Beside the lift');
  const { id: assignedAIAgent } = await service.saveAgent({ body: { name: 'Scout' } });
  await service.updateTicket({ params: { id }, body: { data: { assignedAIAgent } } });
  await service.createTicketMessage({ body: { ticketId: id, source: 'AGENT', content: 'Close the tap' } });
  await homeWith(world, 'ada', 'Scout, just now: Close the tap');
  const hers = await homeWith(world, 'mira', 'Waiting for my approval');
  expect(JSON.stringify(hers)).toContain('Assigned to me');

  const line = (await homeWith(world, 'ada', 'Coffee in the corridor')).blocks.find(({ accessory }) =>
    JSON.stringify(accessory ?? '').includes(`close ${id}`),
  );
  await chat.post('interact', {
    user: 'ada',
    viewId: home.id,
    action: { actionId: 'home_ticket', blockId: line?.block_id, value: `close ${id}` },
  });
  await homeWith(world, 'ada', `reopen ${id}`);
  expect((await service.readTicket({ params: { id } })).status.label).toBe('Closed');
  await homeWith(world, 'mira', 'Coffee in the corridor', false);
  expect(JSON.stringify((await views(world, 'ben')).home)).not.toContain('offee');

  await chat.post('interact', {
    user: 'ben',
    viewId: (await homeWith(world, 'ben', 'New ticket')).id,
    action: 'new_ticket',
  });
  await until(
    'the form',
    async () => (await views(world, 'ben')).stack.at(-1)?.callback_id === 'new_ticket_form',
  );
});
