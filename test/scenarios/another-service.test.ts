import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

test('B22 a service that does not report the state of the ticket with a stored reply is asked for it: the reply reopens a finished ticket', async () => {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const foreign = await startForeignService(base.urls.root, {
    ...{ missing: 404, lists: 'items', pairs: 'dropped', events: 'ticketId' },
  });
  const { chat, urls } = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(['bridge'], {
    SERVICE_URL: `${foreign.url}/api`,
    SLACK_API_URL: `${urls.sandbox}/api`,
    SLACK_BOT_TOKEN: DEMO.app.botToken,
    SLACK_APP_TOKEN: DEMO.app.appToken,
    SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-tests',
  });
  const { service } = base;
  const { bot } = await chat.state();
  const { ts } = await chat.say('it-help', 'ada', `<@${bot}> the door squeaks`);
  const { id } = await until('the ticket', async () => {
    const { items } = await service.listTickets({ query: { search: 'the door squeaks' } });
    return items[0];
  });
  await bridge.untilBridgeIdle();
  const { items: statuses } = await service.listStatuses({});
  const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  await service.updateTicket({ params: { id }, body: { data: { statusId } } });
  await chat.say('it-help', 'ada', 'it squeaks again', ts);
  const state = async () => (await service.readTicket({ params: { id } })).status.label;
  await until('the ticket to be open again', async () => (await state()) === 'Open', { seen: state });
  await bridge.untilBridgeIdle();
  const { items } = await service.listTicketMessages({ query: { ticketId: id } });
  expect(items.filter(({ content }) => content === 'it squeaks again')).toHaveLength(1);
});
