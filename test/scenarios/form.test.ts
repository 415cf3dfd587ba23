import { expect, test } from 'vitest';

import type { SeenMessage, SeenModal } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

type View = SeenModal;

const top = ({ chat }: World, user: string) => chat.modal(user);

/** A user's form, once it asks this question. */
const formAsking = (world: World, user: string, block: string) =>
  until(
    `the form to ask ${block}`,
    async () => {
      const view = await top(world, user);
      return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
    },
    { seen: () => top(world, user) },
  );

const elementOf = (view: View, block: string) =>
  view.blocks.find(({ block_id }) => block_id === block)?.element;

async function put(
  { chat }: World,
  user: string,
  view: View,
  blockId: string,
  actionId: string,
  value: string,
): Promise<void> {
  await chat.post('interact', { user, viewId: view.id, action: { actionId, blockId, value } });
}

const submit = ({ chat }: World, user: string, values: Record<string, Record<string, unknown>>) =>
  chat.post<{ result: string; errors?: Record<string, string> }>('submit-view', { user, values });

test('B37 B8 a form asks the questions of its request type, shows errors at the field, and opens its ticket with the answers', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const forms = (await service.listForms({ query: {} })).items;
  const device = forms.find(({ name }) => name === 'New device');
  const leave = forms.find(({ name }) => name === 'Leave');
  if (!device || !leave) throw new Error('the demo has other forms');
  const field = (key: string) => device.customFields.find(({ customField }) => customField.key === key);
  const idOf = (key: string) => field(key)?.customFieldId ?? '';
  const option = (key: string, value: string) =>
    field(key)?.customField.options.find((one) => one.value === value)?.id ?? '';
  // The cost centre is asked only for laptops, and only the team sees it; "needed by" is the ticket's due
  // date.
  await service.updateRequestType({
    params: { id: device.id },
    body: {
      customFields: [
        { customFieldId: idOf('device'), required: true },
        {
          customFieldId: idOf('cost_centre'),
          required: true,
          private: true,
          parentId: idOf('device'),
          dependsOnValue: 'Laptop',
        },
        { customFieldId: idOf('needed_by'), ticketField: 'DUE_DATE' },
      ],
    },
  });
  await service.updateRequestType({ params: { id: leave.id }, body: { isPrivate: true } });

  // In a linked channel, by the command without arguments.
  await chat.command('it-help', 'ben', 'new');
  const empty = await formAsking(world, 'ben', 'ask:type');
  expect(JSON.stringify(elementOf(empty, 'ask:type'))).toContain('IT services');
  await put(world, 'ben', empty, 'ask:type', 'form_type', device.id);
  const asked = await formAsking(world, 'ben', 'field:device');
  expect(asked.blocks.map(({ block_id }) => block_id)).not.toContain('field:cost_centre');
  await put(world, 'ben', asked, 'ask:title', 'form_value', 'A laptop for Zoe');
  await put(world, 'ben', asked, 'field:device', 'form_parent', option('device', 'Laptop'));
  const further = await formAsking(world, 'ben', 'field:cost_centre');
  expect(elementOf(further, 'ask:title')).toMatchObject({ initial_value: 'A laptop for Zoe' });

  const answers = {
    'field:cost_centre': { form_value: 'CC-7' },
    'ask:description': { form_value: 'She starts on *Monday*.' },
  };
  const late = await submit(world, 'ben', { ...answers, 'field:needed_by': { form_due: '2020-02-02' } });
  expect(late.result).toBe('errors');
  expect(late.errors?.['field:needed_by']).toBe('Choose a time in the future.');
  expect(await submit(world, 'ben', { 'field:needed_by': { form_due: '2031-02-02' } })).toMatchObject({
    result: 'closed',
  });
  const root = await until(
    'the first message under Ben’s name',
    async () =>
      (await chat.messages('it-help')).find(
        ({ text, thread_ts }) => text === 'A laptop for Zoe' && thread_ts === undefined,
      ),
    { seen: () => chat.messages('it-help') },
  );
  expect(root.username).toBe('ben');
  expect(JSON.stringify(root.blocks)).toMatch(/"Device: ".{0,60}"Laptop"/);
  expect(JSON.stringify(root.blocks)).not.toContain('CC-7');
  await world.untilIdle();
  const [ticket] = (await service.listTickets({ query: { chatMessageTs: root.ts } })).items;
  expect(await service.readTicket({ params: { id: ticket?.id ?? '' } })).toMatchObject({
    title: 'A laptop for Zoe',
    description: 'She starts on **Monday**.',
    private: false,
    requestTypeId: device.id,
    customFields: { device: 'Laptop', cost_centre: 'CC-7', needed_by: '2031-02-02' },
    dueAt: '2031-02-02T22:59:59.000Z',
  });
  expect(
    (await chat.thread('it-help', root.ts)).some(({ metadata }) => metadata?.event_payload['card']),
  ).toBe(true);

  // A private request type, from a message: the conversation continues in direct messages.
  const { ts } = await chat.say('people-help', 'ada', 'May I be away in May?');
  await chat.post('shortcut', {
    user: 'ada',
    callbackId: 'fill_form',
    channel: 'people-help',
    messageTs: ts,
  });
  const about = await formAsking(world, 'ada', 'ask:type');
  await put(world, 'ada', about, 'ask:type', 'form_type', leave.id);
  const leaving = await formAsking(world, 'ada', 'ask:title');
  expect(elementOf(leaving, 'ask:title')).toMatchObject({ initial_value: 'May I be away in May?' });
  // Meanwhile the request type got a question that the open form lacks: the service rejects it, and the form
  // comes back.
  const days = leave.customFields.map(({ customFieldId }) => ({ customFieldId, required: true }));
  await service.updateRequestType({ params: { id: leave.id }, body: { customFields: days } });
  expect(await submit(world, 'ada', {})).toMatchObject({ result: 'closed' });
  const refusal = await until<SeenMessage>('Ada to get the form back', async () =>
    (await chat.messages('@deskbridge', 'ada').catch(() => [])).find(({ text }) => text.includes('required')),
  );
  await chat.post('interact', {
    user: 'ada',
    channel: refusal.channel,
    messageTs: refusal.ts,
    action: 'form_again',
  });
  await formAsking(world, 'ada', 'field:first_day');
  expect(await submit(world, 'ada', { 'field:first_day': { form_value: '2031-05-01' } })).toMatchObject({
    result: 'closed',
  });
  const away = await until('the private ticket', async () => {
    const { items } = await service.listTickets({ query: { chatMessageTs: ts } });
    return items[0];
  });
  expect(away).toMatchObject({ private: true, requestTypeId: leave.id });
  await until('the notice of the private ticket in the channel', async () =>
    (await chat.thread('people-help', ts)).some(({ text }) => text.includes('A private ticket was opened')),
  );

  // A request that fits no request type gets a ticket too.
  await chat.command('it-help', 'ben', 'new');
  await put(
    world,
    'ben',
    await formAsking(world, 'ben', 'ask:type'),
    'ask:type',
    'form_type',
    'something-else',
  );
  await formAsking(world, 'ben', 'ask:title');
  await submit(world, 'ben', { 'ask:title': { form_value: 'A plant for the second floor' } });
  await world.untilIdle();
  const [plant] = (await service.listTickets({ query: { search: 'plant' } })).items;
  expect(plant).toMatchObject({ title: 'A plant for the second floor', requestTypeId: null, private: false });

  // B6 A description left as the message's text follows the message. A typed one stays.
  await chat.edit('people-help', 'ada', ts, 'May I be away in June?');
  const { ts: mouse } = await chat.say('it-help', 'ben', 'My mouse is *gone* <b>');
  await chat.post('shortcut', { user: 'ben', callbackId: 'fill_form', channel: 'it-help', messageTs: mouse });
  const typed = await formAsking(world, 'ben', 'ask:type');
  await put(world, 'ben', typed, 'ask:type', 'form_type', device.id);
  // The field speaks chat's language, as the message did.
  const shown = await formAsking(world, 'ben', 'field:device');
  expect(elementOf(shown, 'ask:description')).toMatchObject({ initial_value: 'My mouse is *gone* <b>' });
  await submit(world, 'ben', {
    'field:device': { form_parent: option('device', 'Headset') },
    'ask:description': { form_value: 'My mouse is *gone* <b> today' },
  });
  const { id } = await ticketAt(service, mouse);
  const said = async () =>
    (await service.listTicketMessages({ query: { ticketId: id, includeDeleted: false } })).items
      .filter((message) => !message.private)
      .map(({ content }) => content);
  await world.untilIdle();
  expect(await said()).toEqual(['My mouse is **gone** \\<b>']);
  await chat.edit('it-help', 'ben', mouse, 'My mouse is gone. Again!');
  await world.untilIdle();
  expect(await said()).toEqual(['My mouse is gone. Again!']);
  expect(await service.readTicket({ params: { id } })).toMatchObject({
    title: 'My mouse is gone <b>',
    description: 'My mouse is **gone** \\<b> today',
  });
  expect(await service.readTicket({ params: { id: away.id } })).toMatchObject({
    title: 'May I be away in June?',
    description: 'May I be away in June?',
  });
  // B59 Deleted before anybody answered.
  await chat.remove('it-help', 'ben', mouse);
  await world.untilIdle();
  expect(await said()).toEqual([]);
  expect((await service.readTicket({ params: { id } })).status.label).toBe('Closed');
});
