import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const BOT = '@deskbridge';

test('B37 B47 while the service is down a form opens from the cache, keeps the submission, and becomes one ticket later; the user gets a notice of both', async () => {
  const world = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const bridge = await world.startAlongside(['start']);
  const { chat } = bridge;
  const { service } = world;
  const asks = (user: string, block: string) =>
    until(
      `the form of ${user} to ask ${block}`,
      async () => {
        const view = await chat.modal(user);
        return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
      },
      { seen: () => chat.modal(user) },
    );
  const put = (user: string, viewId: string, blockId: string, actionId: string, value: string) =>
    chat.post('interact', { user, viewId, action: { blockId, actionId, value } });
  const told = async (user: string) =>
    (await chat.messages(BOT, user).catch(() => []))
      .filter(({ bot_id }) => bot_id !== undefined)
      .map(({ text }) => text);

  // Opened while the service is up.
  const device = (await service.listForms({ query: {} })).items.find(({ name }) => name === 'New device');
  const option = (key: string, value: string) =>
    device?.customFields
      .find(({ customField }) => customField.key === key)
      ?.customField.options.find((one) => one.value === value)?.id ?? '';
  await chat.command(CHANNEL, 'ben', 'new');
  const { id } = await asks('ben', 'ask:type');
  await put('ben', id, 'ask:type', 'form_type', device?.id ?? '');
  await asks('ben', 'field:device');
  const other = await chat.say(CHANNEL, 'ada', 'the door bell is silent');

  await world.stop();
  await put('ben', id, 'ask:title', 'form_value', 'A phone for Zoe');
  const submitted = await chat.post('submit-view', {
    user: 'ben',
    values: {
      'field:device': { form_value: option('device', 'Phone') },
      'field:office': { form_value: option('office', 'Lagos') },
    },
  });
  expect(submitted).toMatchObject({ result: 'closed' });
  await chat.post('shortcut', {
    user: 'ada',
    callbackId: 'fill_form',
    channel: CHANNEL,
    messageTs: other.ts,
  });
  const empty = await asks('ada', 'ask:type');
  await put('ada', empty.id, 'ask:type', 'form_type', device?.id ?? '');
  const about = await asks('ada', 'ask:title');
  expect(about.blocks.find(({ block_id }) => block_id === 'ask:title')?.element).toMatchObject({
    initial_value: 'the door bell is silent',
  });
  await until('the notice to Ben that it waits', async () =>
    (await told('ben')).some((text) => text.startsWith('Your request is saved')),
  );

  await world.restart();
  const news = await until(
    'the notice to Ben of the ticket',
    async () => (await told('ben')).find((text) => text.startsWith('Your request is <')),
    { seen: () => told('ben') },
  );
  await bridge.untilIdle();
  const found = (await service.listTickets({ query: { search: 'A phone for Zoe' } })).items;
  expect(found.map((ticket) => [ticket.title, ticket.requestTypeId])).toEqual([
    ['A phone for Zoe', device?.id],
  ]);
  expect(news).toContain(found[0]?.code);
  expect((await told('ben')).filter((text) => text.includes('Your request is'))).toHaveLength(2);
  const { customFields } = await service.readTicket({ params: { id: found[0]?.id ?? '' } });
  expect(customFields).toEqual({ device: 'Phone', office: 'Lagos' });
  const posts = (await chat.messages(CHANNEL)).filter(({ bot_id }) => bot_id !== undefined);
  expect(posts.filter(({ text }) => text === 'A phone for Zoe')).toHaveLength(1);
  expect(posts.filter(({ metadata }) => metadata?.event_payload['card'] === found[0]?.id)).toHaveLength(1);
});
