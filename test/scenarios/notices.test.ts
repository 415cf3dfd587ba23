import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const BOT = '@deskbridge';
const world = sharedWorld({ CHAT_NOTICE_SECONDS: '1' });

/** The bot's direct messages to a user, in order, each as one text. */
async function toldTo(user: string): Promise<string[]> {
  const messages = await world.chat.messages(BOT, user);
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

async function open(title: string): Promise<{ id: string; root: string }> {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${title}`);
  const { id } = await ticketAt(service, ts);
  await world.untilIdle();
  return { id, root: ts };
}

const read = (id: string) => world.service.readTicket({ params: { id } });

type Changes = Parameters<typeof world.service.updateTicket>[0]['body']['data'];

async function change(id: string, data: Changes): Promise<void> {
  await world.service.updateTicket({ params: { id }, body: { data } });
  await world.untilIdle();
}

async function userNamed(name: string): Promise<string> {
  const { items } = await world.service.listUsers({ query: { email: `${name}@acme.example` } });
  return items[0]?.id ?? '';
}

async function statusNamed(label: string): Promise<string> {
  const { items } = await world.service.listStatuses({ query: {} });
  return items.find((status) => status.label === label)?.id ?? '';
}

async function press(user: string, message: SeenMessage, actionId: string): Promise<void> {
  await world.chat.post('interact', {
    user,
    channel: message.channel,
    messageTs: message.ts,
    action: actionId,
  });
}

async function lastDirect(user: string): Promise<SeenMessage> {
  const last = (await world.chat.messages(BOT, user)).findLast(isOfBot);
  if (!last) throw new Error(`${user} was told nothing`);
  return last;
}

/** The team's card of a ticket, by words of its title. */
async function teamCard(words: string): Promise<SeenMessage> {
  const card = (await world.chat.messages('it-triage')).find(({ text }) => text.includes(words));
  if (!card) throw new Error('no card');
  return card;
}

test('B43 an assignee gets one direct message about the changes of others, without what Slack shows them already, and none once they turn notifications off', async () => {
  const { chat, service } = world;
  const { id } = await open('my laptop is slow');
  const [mira, sam] = [await userNamed('mira'), await userNamed('sam')];
  const card = await teamCard('slow');
  await press('mira', card, 'card_assign_me');
  await world.untilIdle();
  expect((await read(id)).assigneeId).toBe(mira);
  expect(await toldTo('mira')).toEqual([]);
  await chat.say('it-triage', 'mira', 'I know this model', card.ts);
  await world.untilIdle();

  await service.updateTicket({ params: { id }, body: { data: { statusId: await statusNamed('Waiting') } } });
  for (const [content, isPrivate] of [
    ['Is it *any* better?', false],
    [`[@Mira](user:${mira}) please look`, true],
    ['It is the fan', true],
  ] as const)
    await service.createTicketMessage({
      body: { ticketId: id, content, authorId: sam, private: isPrivate },
    });
  await world.untilIdle();
  const [told = '', ...more] = await toldTo('mira');
  expect(more).toEqual([]);
  expect(told).toContain('my laptop is slow');
  expect(told).toContain('set it to *Waiting*.');
  expect(told).toContain('*Sam Parks* wrote: “Is it any better?”');
  // Slack itself notifies her of the note: it mentions her in the team's thread.
  expect(told).not.toContain('please look');
  // And of the other one: she has written in that thread herself.
  expect(told).not.toContain('the fan');
  expect(await toldTo('ada')).toEqual([]);

  await chat.command(CHANNEL, 'mira', 'notify none');
  await until('the choice is kept', async () =>
    (await chat.ephemeral(CHANNEL, 'mira'))?.text.includes('only what waits for my approval'),
  );
  await change(id, { priority: 'URGENT', statusId: await statusNamed('Open') });
  expect(await toldTo('mira')).toHaveLength(1);
});

test('B39 each approver is asked in a direct message, the first decision counts, and approvers, requester and team see it with its reason', async () => {
  const { chat, service } = world;
  const { id, root } = await open('my chair wobbles');
  const [mira, ben] = [await userNamed('mira'), await userNamed('ben')];
  // Also one who wants no other notifications.
  await chat.command(CHANNEL, 'mira', 'notify none');
  await change(id, { approvers: [{ id: mira }, { id: ben }] });
  expect((await lastDirect('mira')).text).toContain('Ada Reyes asks for your approval');
  const asked = await lastDirect('ben');
  const waitingFor = async (approverId: string) => {
    const { items } = await service.listTickets({ query: { approverId, undecidedFilter: true } });
    return items.map((ticket) => ticket.id);
  };
  expect(await waitingFor(ben)).toContain(id);
  expect(shownBy(asked)).toContain('*Ada Reyes asks for your approval*');
  await press('ben', asked, 'approval_decline');
  // So that a second click comes before the buttons are gone.
  await chat.post('faults', {
    faults: [{ method: 'chat.update', kind: 'rate_limited', retryAfter: 1, times: null }],
  });
  await chat.post('submit-view', { user: 'ben', values: { reason: { reason: 'No budget <!channel>' } } });
  await until('the decision', async () => (await read(id)).declinedAt !== null);
  await press('mira', await lastDirect('mira'), 'approval_approve');
  const late = await until('who decided', async () => chat.ephemeral(BOT, 'mira').catch(() => undefined));
  expect(late.text).toMatch(/was declined already by Ben Okafor/);
  await chat.post('faults', { clear: true });
  await world.untilIdle();
  const { metadata } = await read(id);
  expect(metadata.approval).toMatchObject({
    userId: ben,
    decision: 'declined',
    reason: 'No budget <!channel>',
  });
  for (const approver of [mira, ben]) expect(await waitingFor(approver)).not.toContain(id);

  for (const user of ['mira', 'ben'])
    expect(shownBy(await lastDirect(user))).toContain(
      ':no_entry: Declined by *Ben Okafor*.\nNo budget <!channel>',
    );
  const card = await teamCard('wobbles');
  expect(JSON.stringify(card.blocks)).toContain('declined by Ben Okafor');
  for (const thread of [await chat.thread(CHANNEL, root), await chat.thread('it-triage', card.ts)])
    expect(
      thread.filter(({ text }) => text === '*Ben Okafor* declined this: No budget &lt;!channel&gt;'),
    ).toHaveLength(1);
  expect(JSON.stringify(await chat.thread(CHANNEL, root))).toContain(
    'was declined by Ben Okafor. Reply here if you have questions.',
  );
});

test('B39 whoever was the requester or the author of a ticket, or of one that was merged into it, cannot decide on it', async () => {
  const { chat, service } = world;
  const { id } = await open('my screen is dark');
  const [mira, ben, sam] = [await userNamed('mira'), await userNamed('ben'), await userNamed('sam')];
  const { requesterId: ada } = await read(id);
  const { id: merged } = await service.createTicket({ body: { title: 'My screen', requesterId: ben } });
  const { id: ofAuthor } = await open('my screen flickers');
  await change(ofAuthor, { authorId: mira });
  await change(ofAuthor, { authorId: null });
  await change(id, { requesterId: mira });
  await change(id, { requesterId: ada, approvers: [{ id: mira }, { id: ben }] });
  await service.mergeTicket({ params: { id: merged }, body: { intoId: id } });
  await world.untilIdle();
  const approve = async (user: string) => {
    const question = (await chat.messages(BOT, user)).findLast(({ blocks }) =>
      JSON.stringify(blocks).includes('approval_approve'),
    );
    await press(user, question ?? (await lastDirect(user)), 'approval_approve');
  };
  for (const user of ['mira', 'ben']) {
    await approve(user);
    await until(`${user} to be refused`, async () =>
      (await chat.ephemeral(BOT, user))?.text.includes('so you cannot approve or decline it'),
    );
  }
  expect((await read(id)).approvedAt).toBeNull();
  await change(id, { approvers: [{ id: sam }] });
  await approve('sam');
  await until('Sam’s decision', async () => (await read(id)).approvedAt);
  await change(ofAuthor, { approvers: [{ id: mira }] });
  const told = (await chat.ephemeral(BOT, 'mira'))?.ts;
  await approve('mira');
  await until('Mira to be refused again', async () => {
    const answer = await chat.ephemeral(BOT, 'mira');
    return answer?.ts !== told && answer?.text.includes('so you cannot approve or decline it');
  });
  expect((await read(ofAuthor)).approvedAt).toBeNull();
});

test('B43 a notification quotes a message as it is now: an edit changes it, and a deleted message is no longer quoted', async () => {
  const { chat, service } = world;
  const { id } = await open('my disk is full');
  const [sam, ben] = [await userNamed('sam'), await userNamed('ben')];
  // Sam has not written in the thread: Slack notifies him of nothing there.
  await service.updateTicket({ params: { id }, body: { data: { assigneeId: sam } } });
  const say = async (content: string) =>
    (await service.createTicketMessage({ body: { ticketId: id, content, authorId: ben } })).id;
  await say('A new disk is here');
  await world.untilIdle();
  expect((await toldTo('sam')).join('\n')).toContain('A new disk is here');

  const wrong = await say('Oops, wrong ticket');
  await world.untilIdle();
  const last = async () => (await toldTo('sam')).at(-1);
  expect(await last()).toContain('*Ben Okafor* wrote: “Oops, wrong ticket”');
  const count = (await toldTo('sam')).length;
  await service.updateTicketMessage({ params: { id: wrong }, body: { content: 'It comes *today*' } });
  await world.untilIdle();
  expect(await last()).toContain('*Ben Okafor* wrote: “It comes today”');
  await service.deleteTicketMessage({ params: { id: wrong } });
  await world.untilIdle();
  expect(await last()).toContain('*Ben Okafor* took a message back.');
  expect(JSON.stringify(await chat.messages(BOT, 'sam'))).not.toMatch(/Oops|comes today/);
  expect(await toldTo('sam')).toHaveLength(count);
});

test('B27 B43 the assignee of a private ticket gets its card in direct messages, and no notification as well', async () => {
  const { chat, service } = world;
  const sam = await userNamed('sam');
  const queueId = (await service.listQueues({})).items.find(({ prefix }) => prefix === 'IT')?.id ?? '';
  await service.createTicket({ body: { title: 'Somebody left', private: true, queueId, assigneeId: sam } });
  await world.untilIdle();
  const aboutIt = (await chat.messages(BOT, 'sam')).filter((message) =>
    JSON.stringify(message).includes('Somebody left'),
  );
  expect(aboutIt).toHaveLength(1);
});
