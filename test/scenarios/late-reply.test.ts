import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

/** The texts of the bot's direct messages to an agent. */
async function notices({ chat }: World, user: string): Promise<string> {
  const messages = await chat.messages('@deskbridge', user);
  return JSON.stringify(messages.map(({ blocks }) => blocks));
}

test('B65 a requester’s reply reopens a finished ticket and notifies its assignee, however late it reaches the bridge', async () => {
  const world = await startWorld({ RECONCILE_EVERY_SECONDS: '2', CHAT_READS_PER_MINUTE: '6000' });
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { items: users } = await service.listUsers({ query: { email: 'mira@acme.example' } });
  const { items: statuses } = await service.listStatuses({ query: {} });
  const data = {
    assigneeId: users[0]?.id ?? '',
    statusId: statuses.find(({ label }) => label === 'Done')?.id ?? '',
  };
  const finished = async (text: string) => {
    const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${text}`);
    const { id } = await ticketAt(service, ts);
    await service.updateTicket({ params: { id }, body: { data } });
    await world.untilIdle();
    return { id, ts };
  };
  const reopened = async ({ id }: { id: string }, reply: string) => {
    const facts = async () => ({
      status: (await service.readTicket({ params: { id } })).status.label,
      notified: (await notices(world, 'mira')).includes(reply),
    });
    await until(
      `“${reply}” to reopen the ticket`,
      async () => {
        const { status, notified } = await facts();
        return status === 'Open' && notified;
      },
      { seen: facts },
    );
  };

  const late = await finished('the printer burns');
  await chat.post('faults', { events: [{ kind: 'delay', ms: 5_000, times: 1 }] });
  await chat.say(CHANNEL, 'ada', 'it burns again', late.ts);
  await reopened(late, 'it burns again');

  // Without any event: the connection is restored, and reconciliation finds the reply.
  const found = await finished('the scanner is stuck');
  await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
  await chat.say(CHANNEL, 'ada', 'it is stuck again', found.ts);
  await chat.post('faults', { clear: true });
  await chat.post('disconnect', { reason: 'cut' });
  await reopened(found, 'it is stuck again');

  const missed = await finished('the badge is lost');
  await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
  await chat.say(CHANNEL, 'ada', 'it is lost again', missed.ts);
  await world.stop();
  await world.restart();
  await chat.post('faults', { clear: true });
  await reopened(missed, 'it is lost again');
  expect((await service.listTicketMessages({ query: { ticketId: missed.id } })).items).toHaveLength(1);
});
