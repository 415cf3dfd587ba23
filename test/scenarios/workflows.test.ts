import { expect, test } from 'vitest';

import type { WorkflowOutline } from '../../src/service/workflow-config/outline.ts';
import { askCommand } from '../harness/ask-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { activateOutline, filled } from '../harness/workflow-templates.ts';
import { sharedWorld } from '../harness/world.ts';

const world = sharedWorld();

const CHANNEL = 'it-help';

const userOf = async (name: string) => {
  const { items } = await world.service.listUsers({ query: { email: `${name}@acme.example` } });
  return items[0]?.id ?? '';
};

const activate = (outline: WorkflowOutline, queueIds: string[] | null = null) =>
  activateOutline(world.service, outline, queueIds);

const retire = (id: string) =>
  world.service.updateWorkflow({ params: { id }, body: { name: 'Retired', state: 'Deleted' } });

/** The number of a workflow's runs that have ended; none may fail. */
async function endedRuns(workflowId: string): Promise<number> {
  const { items } = await world.service.listWorkflowRuns({ query: { workflowId } });
  for (const { id } of items.filter(({ state }) => state === 'failed')) {
    const { steps } = await world.service.readWorkflowRun({ params: { id } });
    expect(steps.flatMap(({ error }) => error ?? [])).toEqual([]);
  }
  return items.filter(({ state }) => state === 'finished').length;
}

const ended = (id: string) => until('the end of the run', async () => (await endedRuns(id)) === 1);

/** Ada asks in a channel; the ticket, and what stands in its thread. */
async function ask(words: string) {
  const { service, chat } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
  const ticket = await ticketAt(service, ts);
  return { ticket, thread: async () => (await chat.thread(CHANNEL, ts)).map(({ text }) => text) };
}

test('an approval says in the thread what was decided', async () => {
  const { service } = world;
  const approverId = await userOf('mira');
  const { opened, ...rest } = filled('Approval', { ask: { approverIds: [approverId] } }).steps;
  const template = filled('Approval', {});
  const id = await activate({
    ...template,
    steps: { opened: [opened?.[0] ?? '', 'ticket.created'], ...rest },
  });
  for (const [decision, says] of [
    ['approvedAt', 'Your request was approved. We start now.'],
    ['declinedAt', 'Your request was declined.'],
  ] as const) {
    const { ticket, thread } = await ask(`Access for ${decision}`);
    await until('the question', async () => {
      const { approvers } = await service.readTicket({ params: { id: ticket.id } });
      return approvers.some((each) => each.id === approverId);
    });
    const data = { [decision]: new Date(world.clock.now()).toISOString() };
    await service.updateTicket({ params: { id: ticket.id }, body: { data, approverId } });
    const texts = await until('the answer in the thread', async () => {
      const found = await thread();
      return found.some((text) => text.includes(says)) ? found : undefined;
    });
    expect(texts.filter((text) => text.includes('Your request was'))).toHaveLength(1);
  }
  await retire(id);
});

test('a bad rating reopens a ticket and tells the lead in a direct message, once', async () => {
  const { service, chat } = world;
  const [ada, mira] = [await userOf('ada'), await userOf('mira')];
  const id = await activate(filled('A bad rating', { tell: { userId: mira } }));
  const { ticket } = await ask('The projector flickers');
  const { items } = await service.listStatuses({});
  const statusId = items.find(({ label }) => label === 'Done')?.id ?? '';
  await service.updateTicket({ params: { id: ticket.id }, body: { data: { statusId } } });
  await service.rateTicket({ params: { id: ticket.id }, body: { score: 1, userId: ada } });
  const told = () =>
    chat
      .messages('@deskbridge', 'mira')
      .then((all) => all.filter(({ text }) => text.includes(`${ticket.code} was rated badly`)));
  await until('the message', async () => (await told()).length > 0);
  await ended(id);
  expect((await told()).map(({ username }) => username)).toEqual(['Workflow: A bad rating']);
  expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Open');
  await retire(id);
});

test('an urgent ticket that nobody answers is told to a channel and a person', async () => {
  const { service, chat } = world;
  const { items } = await service.listWorkspaces({});
  const triage = items
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .find(({ channelName }) => channelName === 'it-triage');
  const id = await activate(
    filled('Escalate an unanswered urgent ticket', {
      wait: { minutes: 0 },
      post: { channelId: triage?.id },
      tell: { userId: await userOf('mira') },
    }),
  );
  const ticket = await service.createTicket({ body: { title: 'Smoke', priority: 'URGENT' } });
  const posts = async () =>
    (await chat.messages('it-triage')).filter(({ text }) => text.includes(`replied to ${ticket.code}`));
  const told = async () =>
    (await chat.messages('@deskbridge', 'mira')).filter(({ text }) =>
      text.includes(`replied to ${ticket.code}`),
    );
  await until('both posts', async () => (await posts()).length > 0 && (await told()).length > 0);
  await ended(id);
  expect([(await posts()).length, (await told()).length]).toEqual([1, 1]);
  await retire(id);
});

test('a ticket out of hours is acknowledged in its thread, once', async () => {
  const { service } = world;
  const { items } = await service.listBusinessHours({});
  const hours = items.find(({ isDefault }) => isDefault);
  const params = { id: hours?.id ?? '' };
  const inThreeDays = ((new Date(world.clock.now()).getUTCDay() + 2) % 7) + 1;
  await service.updateBusinessHours({
    params,
    body: { days: [{ day: inThreeDays, from: '09:00', to: '10:00' }] },
  });
  const id = await activate(filled('Out of hours', {}));
  const { ticket, thread } = await ask('The door does not open');
  const says = `your request ${ticket.code} is read first thing`;
  await until('the acknowledgement', async () => (await thread()).some((text) => text.includes(says)));
  await ended(id);
  expect((await thread()).filter((text) => text.includes(says))).toHaveLength(1);
  await retire(id);
  await service.updateBusinessHours({ params, body: { days: hours?.days ?? [] } });
});

test('a ticket about an invoice is moved to the queue that handles them, another is not', async () => {
  const { service } = world;
  const { items } = await service.listQueues({});
  const queueId = items.find(({ prefix }) => prefix === 'PPL')?.id ?? '';
  // Only its team reads that queue: it has to be given to the workflow.
  const given = items.map((queue) => queue.id);
  const id = await activate(filled('Route by words', { move: { queueId } }), given);
  const other = await ask('The printer is out of paper');
  const invoice = await ask('My invoice is wrong');
  await until('both runs to end', async () => (await endedRuns(id)) === 2);
  const read = (ticket: string) => service.readTicket({ params: { id: ticket } });
  expect((await read(invoice.ticket.id)).queueId).toBe(queueId);
  expect((await read(other.ticket.id)).queueId).toBe(other.ticket.queueId);
  await retire(id);
});

test('a requester is reminded in the thread, and the ticket is closed', async () => {
  const { service } = world;
  const id = await activate(
    filled('Remind the requester, then close', { first: { minutes: 0 }, second: { minutes: 0 } }),
  );
  const { ticket, thread } = await ask('I cannot print');
  const { items } = await service.listStatuses({});
  const statusId = items.find(({ label }) => label === 'Waiting')?.id ?? '';
  await service.updateTicket({ params: { id: ticket.id }, body: { data: { statusId } } });
  await until('the reminder', async () =>
    (await thread()).some((text) => text.includes('We still need your answer')),
  );
  await ended(id);
  expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Closed');
  await retire(id);
});

test('an onboarding opens child tickets, waits for all of them and says so in the thread', async () => {
  const { service } = world;
  const id = await activate(filled('Onboarding', {}));
  const { ticket, thread } = await ask('Grace starts on Monday');
  await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
  const children = await until('the children', async () => {
    const { children: found } = await service.readTicket({ params: { id: ticket.id } });
    return found.length === 3 ? found : undefined;
  });
  const { items } = await service.listStatuses({});
  const statusId = items.find(({ label }) => label === 'Done')?.id ?? '';
  for (const [at, child] of children.entries()) {
    expect([at, (await service.readTicket({ params: { id: ticket.id } })).status.label]).toEqual([
      at,
      'Open',
    ]);
    const childId = typeof child === 'string' ? child : child.id;
    await service.updateTicket({ params: { id: childId }, body: { data: { statusId } } });
  }
  await until('the words', async () =>
    (await thread()).some((text) => text.includes('Everything is ready.')),
  );
  await ended(id);
  expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Done');
  await retire(id);
});

test('the team runs a workflow by hand with a command, by the beginning of its name; what cannot be run says what to do', async () => {
  const { service, chat } = world;
  const outline = (name: string, inputs: Record<string, unknown> = {}) => ({
    name,
    description: '',
    steps: {
      run: ['It is run', 'ticket.run', inputs] as const,
      note: ['Note', 'message.note', { content: `${name} ran` }] as const,
    },
    leads: [['run', 'note']] as const,
  });
  const { items: queues } = await service.listQueues({});
  const elsewhere = queues.find(({ prefix }) => prefix === 'PPL')?.id ?? '';
  const { ticket, thread } = await ask('Grace needs a laptop');
  const run = (user: string, words: string) => askCommand(world, user, `run ${ticket.code} ${words}`);
  expect((await run('mira', 'laptop')).text).toMatch(/No workflow can be run on .*An admin makes one/);

  const id = await activate(outline('Order a laptop'));
  const others = [
    await activate(outline('Order a badge')),
    await activate(outline('Order a desk', { queueId: elsewhere })),
  ];
  const answer = await run('mira', 'order a lap');
  expect(answer.text).toMatch(/^\*Order a laptop\* runs on /);
  await ended(id);
  const [started, ...more] = (await service.listWorkflowRuns({ query: { workflowId: id } })).items;
  expect([started?.startedById, more]).toEqual([await userOf('mira'), []]);

  expect((await run('ada', 'order a laptop')).text).toContain('Only the team of IT can do that');
  // One that is for another queue is not offered here.
  expect((await run('mira', 'order')).text).toBe(
    '“order” could be more than one workflow. Type one of: *Order a laptop*, *Order a badge*.',
  );
  expect((await run('mira', 'pizza')).text).toMatch(/^There is no workflow “pizza”. Type one of: /);
  expect((await askCommand(world, 'mira', 'run')).text).toContain('Add the workflow');
  expect((await askCommand(world, 'mira', 'help run')).text).toContain('run a workflow on it');

  // In the thread, after a mention; a sentence with that word is a reply.
  const { bot } = await chat.state();
  const { root } = await service.readTicket({ params: { id: ticket.id } }).then(({ chatThreads }) => ({
    root: chatThreads.find(({ type }) => type !== 'TRIAGE')?.messageTs ?? '',
  }));
  await chat.say(CHANNEL, 'mira', `<@${bot}> run Order a badge`, root);
  await until('the run', async () => (await endedRuns(others[0] ?? '')) === 1);
  await chat.say(CHANNEL, 'mira', `<@${bot}> run and get it before the shop closes today`, root);
  await world.untilIdle();
  const { items: messages } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
  expect(messages.map(({ content }) => content).filter((content) => content.includes('shop'))).toHaveLength(
    1,
  );
  expect((await thread()).filter((text) => text.includes('ran'))).toEqual([]);
  for (const each of [id, ...others]) await retire(each);
});
