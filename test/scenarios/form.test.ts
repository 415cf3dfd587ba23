import { beforeAll, expect, test } from 'vitest';

import type { Client } from '../../src/client/index.ts';
import type { SeenMessage, SeenModal } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

type View = SeenModal;

type RequestType = Awaited<ReturnType<Client['readRequestType']>>;

const world = sharedWorld();

/** A request type of the demo whose form asks for a device, and for laptops also for a cost centre. */
let device: RequestType;
/** A private request type. */
let leave: RequestType;

const field = (key: string) => device.customFields.find(({ customField }) => customField.key === key);
const fieldId = (key: string) => field(key)?.customFieldId ?? '';
const optionId = (key: string, value: string) =>
  field(key)?.customField.options.find((option) => option.value === value)?.id ?? '';

async function formNamed(name: string): Promise<RequestType> {
  const { items } = await world.service.listForms({ query: {} });
  const form = items.find((each) => each.name === name);
  if (!form) throw new Error(`the demo has no form ${name}`);
  return form;
}

beforeAll(async () => {
  device = await formNamed('New device');
  leave = await formNamed('Leave');
  await world.service.updateRequestType({ params: { id: leave.id }, body: { isPrivate: true } });
  // Only the team sees the cost centre; "needed by" is the ticket's due date.
  await world.service.updateRequestType({
    params: { id: device.id },
    body: {
      customFields: [
        { customFieldId: fieldId('device'), required: true },
        {
          customFieldId: fieldId('cost_centre'),
          required: true,
          private: true,
          parentId: fieldId('device'),
          dependsOnValue: 'Laptop',
        },
        { customFieldId: fieldId('needed_by'), ticketField: 'DUE_DATE' },
      ],
    },
  });
});

/** A user's form, once it asks this question. */
const formAsking = (user: string, block: string) =>
  until(
    `the form to ask ${block}`,
    async () => {
      const view = await world.chat.modal(user);
      return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
    },
    { seen: () => world.chat.modal(user) },
  );

const fillFormOn = (user: string, channel: string, messageTs: string) =>
  world.chat.post('shortcut', { user, callbackId: 'fill_form', channel, messageTs });

/** Chooses a request type in a user's form. */
async function chooseType(user: string, type: string): Promise<void> {
  await put(user, await formAsking(user, 'ask:type'), 'ask:type', 'form_type', type);
}

const elementOf = (view: View, block: string) =>
  view.blocks.find(({ block_id }) => block_id === block)?.element;

async function put(
  user: string,
  view: View,
  blockId: string,
  actionId: string,
  value: string,
): Promise<void> {
  await world.chat.post('interact', { user, viewId: view.id, action: { actionId, blockId, value } });
}

const submit = (user: string, values: Record<string, Record<string, unknown>>) =>
  world.chat.post<{ result: string; errors?: Record<string, string> }>('submit-view', { user, values });

test('B37 a form asks the questions of its request type, shows errors at the field, and opens its ticket with the answers', async () => {
  const { chat, service } = world;
  await chat.command('it-help', 'ben', 'new');
  expect(JSON.stringify(elementOf(await formAsking('ben', 'ask:type'), 'ask:type'))).toContain('IT services');
  await chooseType('ben', device.id);
  const asked = await formAsking('ben', 'field:device');
  expect(asked.blocks.map(({ block_id }) => block_id)).not.toContain('field:cost_centre');
  await put('ben', asked, 'ask:title', 'form_value', 'A laptop for Zoe');
  await put('ben', asked, 'field:device', 'form_parent', optionId('device', 'Laptop'));
  const further = await formAsking('ben', 'field:cost_centre');
  expect(elementOf(further, 'ask:title')).toMatchObject({ initial_value: 'A laptop for Zoe' });

  const late = await submit('ben', {
    'field:cost_centre': { form_value: 'CC-7' },
    'ask:description': { form_value: 'She starts on *Monday*.' },
    'field:needed_by': { form_due: '2020-02-02' },
  });
  expect(late.result).toBe('errors');
  expect(late.errors?.['field:needed_by']).toBe('Choose a time in the future.');
  expect(await submit('ben', { 'field:needed_by': { form_due: '2031-02-02' } })).toMatchObject({
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
});

test('B6 B8 B37 a form of a private request type, opened on a message, opens a private ticket whose description follows the message; a form that the service rejects comes back', async () => {
  const { chat, service } = world;
  const { ts } = await chat.say('people-help', 'ada', 'May I be away in May?');
  await fillFormOn('ada', 'people-help', ts);
  await chooseType('ada', leave.id);
  const leaving = await formAsking('ada', 'ask:title');
  expect(elementOf(leaving, 'ask:title')).toMatchObject({ initial_value: 'May I be away in May?' });
  // Meanwhile the request type gets a question that the open form lacks.
  const days = leave.customFields.map(({ customFieldId }) => ({ customFieldId, required: true }));
  await service.updateRequestType({ params: { id: leave.id }, body: { customFields: days } });
  expect(await submit('ada', {})).toMatchObject({ result: 'closed' });
  const refusal = await until<SeenMessage>('Ada to get the form back', async () =>
    (await chat.messages('@deskbridge', 'ada').catch(() => [])).find(({ text }) => text.includes('required')),
  );
  await chat.post('interact', {
    user: 'ada',
    channel: refusal.channel,
    messageTs: refusal.ts,
    action: 'form_again',
  });
  await formAsking('ada', 'field:first_day');
  expect(await submit('ada', { 'field:first_day': { form_value: '2031-05-01' } })).toMatchObject({
    result: 'closed',
  });
  const ticket = await until('the private ticket', async () => {
    const { items } = await service.listTickets({ query: { chatMessageTs: ts } });
    return items[0];
  });
  expect(ticket).toMatchObject({ private: true, requestTypeId: leave.id });
  await until('the notice of the private ticket in the channel', async () =>
    (await chat.thread('people-help', ts)).some(({ text }) => text.includes('A private ticket was opened')),
  );

  await chat.edit('people-help', 'ada', ts, 'May I be away in June?');
  await world.untilIdle();
  expect(await service.readTicket({ params: { id: ticket.id } })).toMatchObject({
    title: 'May I be away in June?',
    description: 'May I be away in June?',
  });
});

test('B37 a request that fits no request type gets a ticket too', async () => {
  const { chat, service } = world;
  await chat.command('it-help', 'ben', 'new');
  await chooseType('ben', 'something-else');
  await formAsking('ben', 'ask:title');
  await submit('ben', { 'ask:title': { form_value: 'A plant for the second floor' } });
  await world.untilIdle();
  const [plant] = (await service.listTickets({ query: { search: 'plant' } })).items;
  expect(plant).toMatchObject({ title: 'A plant for the second floor', requestTypeId: null, private: false });
});

test('B6 B59 a description that was typed in the form stays when its message is edited; deleting the message before anybody replied closes the ticket', async () => {
  const { chat, service } = world;
  const { ts: mouse } = await chat.say('it-help', 'ben', 'My mouse is *gone* <b>');
  await fillFormOn('ben', 'it-help', mouse);
  await chooseType('ben', device.id);
  // The field shows Slack's markup, as the message did.
  const shown = await formAsking('ben', 'field:device');
  expect(elementOf(shown, 'ask:description')).toMatchObject({ initial_value: 'My mouse is *gone* <b>' });
  await submit('ben', {
    'field:device': { form_parent: optionId('device', 'Headset') },
    'ask:description': { form_value: 'My mouse is *gone* <b> today' },
  });
  const { id } = await ticketAt(service, mouse);
  const publicMessages = async () =>
    (await service.listTicketMessages({ query: { ticketId: id, includeDeleted: false } })).items
      .filter((message) => !message.private)
      .map(({ content }) => content);
  await world.untilIdle();
  expect(await publicMessages()).toEqual(['My mouse is **gone** \\<b>']);
  await chat.edit('it-help', 'ben', mouse, 'My mouse is gone. Again!');
  await world.untilIdle();
  expect(await publicMessages()).toEqual(['My mouse is gone. Again!']);
  expect(await service.readTicket({ params: { id } })).toMatchObject({
    title: 'My mouse is gone <b>',
    description: 'My mouse is **gone** \\<b> today',
  });
  await chat.remove('it-help', 'ben', mouse);
  await world.untilIdle();
  expect(await publicMessages()).toEqual([]);
  expect((await service.readTicket({ params: { id } })).status.label).toBe('Closed');
});
