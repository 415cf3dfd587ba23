import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const BOT = '@deskbridge';

/** The bot's direct messages to a user, in order, each as one text. */
async function toldTo({ chat }: World, user: string): Promise<string[]> {
  const messages = await chat.messages(BOT, user);
  return messages.filter(isOfBot).map(shownBy);
}

const isOfBot = ({ bot_id, ephemeralFor }: SeenMessage) => bot_id !== undefined && ephemeralFor === undefined;

const shownBy = ({ blocks }: SeenMessage) => (blocks as Shown[]).map(wordsIn).join('\n');

interface Shown {
  text?: string | Shown;
  elements?: Shown[];
}

const wordsIn = ({ text = '', elements = [] }: Shown): string =>
  (typeof text === 'string' ? text : wordsIn(text)) + elements.map(wordsIn).join('');

async function open({ chat, service }: World, words: string): Promise<{ id: string; root: string }> {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
  const { id } = await ticketAt(service, ts);
  return { id, root: ts };
}

const userIds = async ({ service }: World, ...emails: string[]) =>
  Promise.all(
    emails.map(async (name) => {
      const { items } = await service.listUsers({ query: { email: `${name}@acme.example` } });
      return items[0]?.id ?? '';
    }),
  );

async function press({ chat }: World, user: string, message: SeenMessage, actionId: string): Promise<void> {
  await chat.post('interact', { user, channel: message.channel, messageTs: message.ts, action: actionId });
}

async function lastDirect({ chat }: World, user: string): Promise<SeenMessage> {
  const last = (await chat.messages(BOT, user)).findLast(isOfBot);
  if (!last) throw new Error(`${user} was told nothing`);
  return last;
}

test('B39 B43 users get one direct message about each change of others, according to their preferences, and approvers decide there', async () => {
  const world = await startWorld({ CHAT_NOTICE_SECONDS: '1' });
  const { chat, service } = world;
  const { id, root } = await open(world, 'my laptop is slow');
  await world.untilIdle();
  const [mira = '', sam = '', ben = ''] = await userIds(world, 'mira', 'sam', 'ben');
  const statuses = (await service.listStatuses({ query: {} })).items;
  const waiting = statuses.find(({ label }) => label === 'Waiting')?.id ?? '';
  const update = (data: Parameters<typeof service.updateTicket>[0]['body']['data']) =>
    service.updateTicket({ params: { id }, body: { data } });

  const card = (await chat.messages('it-triage')).find(({ text }) => text.includes('slow'));
  if (!card) throw new Error('no card');
  await press(world, 'mira', card, 'card_assign_me');
  await world.untilIdle();
  expect((await service.readTicket({ params: { id } })).assigneeId).toBe(mira);
  expect(await toldTo(world, 'mira')).toEqual([]);
  await chat.say('it-triage', 'mira', 'I know this model', card.ts);
  await world.untilIdle();

  await update({ statusId: waiting });
  await service.createTicketMessage({
    body: { ticketId: id, content: 'Is it *any* better?', authorId: sam },
  });
  await service.createTicketMessage({
    body: { ticketId: id, content: `[@Mira](user:${mira}) please look`, authorId: sam, private: true },
  });
  await service.createTicketMessage({
    body: { ticketId: id, content: 'It is the fan', authorId: sam, private: true },
  });
  await world.untilIdle();
  const [told = '', ...more] = await toldTo(world, 'mira');
  expect(more).toEqual([]);
  expect(told).toContain('my laptop is slow');
  expect(told).toContain('set it to *Waiting*.');
  expect(told).toContain('*Sam Parks* wrote: “Is it any better?”');
  // Slack itself notifies her of the note: it mentions her in the team's thread.
  expect(told).not.toContain('please look');
  // And of the other one: she has written in that thread herself.
  expect(told).not.toContain('the fan');
  expect(await toldTo(world, 'ada')).toEqual([]);

  await chat.command(CHANNEL, 'mira', 'notify none');
  await until('the choice is kept', async () =>
    (await chat.ephemeral(CHANNEL, 'mira'))?.text.includes('only what waits for my approval'),
  );
  await update({ priority: 'URGENT', statusId: statuses.find(({ label }) => label === 'Open')?.id ?? '' });
  await world.untilIdle();
  expect(await toldTo(world, 'mira')).toHaveLength(1);

  await update({ approvers: [{ id: mira }, { id: ben }] });
  await world.untilIdle();
  expect((await lastDirect(world, 'mira')).text).toContain('Ada Reyes asks for your approval');
  const asked = await lastDirect(world, 'ben');
  const waitingFor = async (approverId: string) => {
    const { items } = await service.listTickets({ query: { approverId, undecidedFilter: true } });
    return items.map((ticket) => ticket.id);
  };
  expect(await waitingFor(ben)).toContain(id);
  expect(shownBy(asked)).toContain('*Ada Reyes asks for your approval*');
  await press(world, 'ben', asked, 'approval_decline');
  // So that a second click comes before the buttons are gone.
  await chat.post('faults', {
    faults: [{ method: 'chat.update', kind: 'rate_limited', retryAfter: 1, times: null }],
  });
  await chat.post('submit-view', { user: 'ben', values: { reason: { reason: 'No budget <!channel>' } } });
  await until('the decision', async () => (await service.readTicket({ params: { id } })).declinedAt !== null);
  await press(world, 'mira', await lastDirect(world, 'mira'), 'approval_approve');
  const late = await until('who decided', async () => chat.ephemeral(BOT, 'mira').catch(() => undefined));
  expect(late.text).toMatch(/was declined already by Ben Okafor/);
  await chat.post('faults', { clear: true });
  await world.untilIdle();
  const { metadata } = await service.readTicket({ params: { id } });
  expect(metadata.approval).toMatchObject({
    userId: ben,
    decision: 'declined',
    reason: 'No budget <!channel>',
  });
  for (const user of ['mira', 'ben']) {
    const shown = shownBy(await lastDirect(world, user));
    expect(shown).toContain(':no_entry: Declined by *Ben Okafor*.\nNo budget <!channel>');
  }
  const after = (await chat.messages('it-triage')).find(({ ts }) => ts === card.ts);
  expect(JSON.stringify(after?.blocks)).toContain('declined by Ben Okafor');
  for (const approver of [mira, ben]) expect(await waitingFor(approver)).not.toContain(id);
  // Once, in the requester's thread and in the team's.
  for (const thread of [await chat.thread(CHANNEL, root), await chat.thread('it-triage', card.ts)])
    expect(
      thread.filter(({ text }) => text === '*Ben Okafor* declined this: No budget &lt;!channel&gt;'),
    ).toHaveLength(1);
  expect(JSON.stringify(await chat.thread(CHANNEL, root))).toContain(
    'was declined by Ben Okafor. Reply here if you have questions.',
  );

  // Who asked for it, or for what was merged into it, decides nothing.
  const ada = (await service.readTicket({ params: { id } })).requesterId;
  const { id: other } = await open(world, 'my screen is dark');
  const { id: merged } = await service.createTicket({ body: { title: 'My screen', requesterId: ben } });
  const change = (data: Parameters<typeof update>[0]) =>
    service.updateTicket({ params: { id: other }, body: { data } });
  await change({ requesterId: mira });
  await change({ requesterId: ada, approvers: [{ id: mira }, { id: ben }] });
  await service.mergeTicket({ params: { id: merged }, body: { intoId: other } });
  await world.untilIdle();
  const approve = async (user: string) => {
    const question = (await chat.messages(BOT, user)).findLast(({ blocks }) =>
      JSON.stringify(blocks).includes('approval_approve'),
    );
    await press(world, user, question ?? (await lastDirect(world, user)), 'approval_approve');
  };
  for (const user of ['mira', 'ben']) {
    await approve(user);
    await until(`${user} to be refused`, async () =>
      (await chat.ephemeral(BOT, user))?.text.includes('so you cannot approve or decline it'),
    );
  }
  expect((await service.readTicket({ params: { id: other } })).approvedAt).toBeNull();
  await change({ approvers: [{ id: sam }] });
  await world.untilIdle();
  await approve('sam');
  await until('Sam’s decision', async () => (await service.readTicket({ params: { id: other } })).approvedAt);

  // Sam wrote at the desk only: Slack notifies him of nothing in the thread.
  await update({ assigneeId: sam });
  await service.createTicketMessage({ body: { ticketId: id, content: 'A new disk is here', authorId: ben } });
  await world.untilIdle();
  expect((await toldTo(world, 'sam')).join('\n')).toContain('A new disk is here');

  // What was changed or taken back since is not left standing in a notification.
  const say = async (content: string) =>
    (await service.createTicketMessage({ body: { ticketId: id, content, authorId: ben } })).id;
  const wrong = await say('Oops, wrong ticket');
  await world.untilIdle();
  const last = async () => (await toldTo(world, 'sam')).at(-1);
  expect(await last()).toContain('*Ben Okafor* wrote: “Oops, wrong ticket”');
  const count = (await toldTo(world, 'sam')).length;
  await service.updateTicketMessage({ params: { id: wrong }, body: { content: 'It comes *today*' } });
  await world.untilIdle();
  expect(await last()).toContain('*Ben Okafor* wrote: “It comes today”');
  await service.deleteTicketMessage({ params: { id: wrong } });
  await world.untilIdle();
  expect(await last()).toContain('*Ben Okafor* took a message back.');
  expect(JSON.stringify(await chat.messages(BOT, 'sam'))).not.toMatch(/Oops|comes today/);
  expect(await toldTo(world, 'sam')).toHaveLength(count);

  // Its card reaches the assignee in the same place.
  const queueId = (await service.listQueues({})).items.find(({ prefix }) => prefix === 'IT')?.id ?? '';
  await service.createTicket({ body: { title: 'Somebody left', private: true, queueId, assigneeId: sam } });
  await world.untilIdle();
  const aboutIt = (await chat.messages(BOT, 'sam')).filter((message) =>
    JSON.stringify(message).includes('Somebody left'),
  );
  expect(aboutIt).toHaveLength(1);
});
