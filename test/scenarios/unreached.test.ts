import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const TRIAGE = 'it-triage';

test('B0a B43 a user whom Slack has no direct conversation with is notified of a public ticket in its thread; of a private one its team is notified, and the ticket says so', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the badge reader is dead`);
  const open = await ticketAt(service, root);
  // Others can read its thread, so nothing of it is posted there any more.
  const { ts: second } = await chat.say(CHANNEL, 'ada', `<@${bot}> a matter of pay`);
  const hidden = await ticketAt(service, second);
  await service.updateTicket({ params: { id: hidden.id }, body: { data: { private: true } } });
  await world.untilIdle();
  const idOf = async (email: string) => (await service.listUsers({ query: { email } })).items[0]?.id ?? '';
  const ben = await idOf(DEMO.people.ben.email);

  await chat.post('faults', {
    method: 'conversations.open',
    kind: 'error',
    error: 'user_not_found',
    times: null,
  });
  for (const { id } of [open, hidden])
    await service.updateTicket({ params: { id }, body: { data: { assigneeId: ben } } });

  const lines = async () => (await chat.thread(CHANNEL, root)).map(({ text }) => text);
  const line = await until(
    'a line in the thread',
    async () => (await lines()).find((text) => text.includes(`<@${DEMO.people.ben.id}>`)),
    { seen: lines },
  );
  expect(line).toContain('it is assigned to you');
  const notes = async ({ id }: { id: string } = hidden) =>
    (await service.listTicketMessages({ query: { ticketId: id } })).items;
  const note = await until(
    'a note on the private ticket',
    async () =>
      (await notes()).find(({ content }) =>
        content.includes('not reachable in Slack and could not be notified'),
      ),
    { seen: notes },
  );
  expect(note.private).toBe(true);
  const told = await until('the notice to its team', async () =>
    (await chat.messages(TRIAGE, 'sam')).find(
      ({ text }) => text.includes('and could not be notified') && text.includes(hidden.code),
    ),
  );
  expect(told.text).not.toContain('a matter of pay');
  await world.untilIdle();
  const posts = await fetch(`${world.urls.sandbox}/_control/calls?method=chat.postMessage&limit=1000`);
  const { calls } = (await posts.json()) as { calls: { arguments: Record<string, unknown> }[] };
  const mentioned = calls
    .map((call) => JSON.stringify(call))
    .filter((call) => call.includes(`<@${DEMO.people.ben.id}>`));
  expect(mentioned.filter((call) => call.includes(hidden.code))).toEqual([]);
  expect(mentioned.filter((call) => call.includes(open.code))).toHaveLength(1);
  const unreachable = async (ticket?: { id: string }) =>
    (await notes(ticket)).filter(({ content }) => content.includes('not reachable'));
  expect(await unreachable()).toHaveLength(1);

  // The same on another ticket is another note.
  const other = await service.createTicket({
    body: { title: 'Another matter of pay', queueId: hidden.queueId, private: true },
  });
  await service.updateTicket({ params: { id: other.id }, body: { data: { assigneeId: ben } } });
  await until('a note on the other ticket', async () => (await unreachable(other)).length > 0);
});
