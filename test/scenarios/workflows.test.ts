import { expect, test } from 'vitest';

import { contentOf, when, type WorkflowOutline } from '../../src/service/workflow-config/outline.ts';
import { TEMPLATES } from '../../src/service/workflow-config/templates.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const world = sharedWorld();

const CHANNEL = 'it-help';

const userOf = async (name: string) => {
  const { items } = await world.service.listUsers({ query: { email: `${name}@acme.example` } });
  return items[0]?.id ?? '';
};

/** The template with this name, with what a person fills in. */
function filled(name: string, inputs: Readonly<Record<string, object>>): WorkflowOutline {
  const template = TEMPLATES.find((each) => each.name === name);
  if (!template) throw new Error(`no template ${name}`);
  const steps = Object.entries(template.steps).map(
    ([id, [title, action, given]]) => [id, [title, action, { ...given, ...inputs[id] }]] as const,
  );
  return { ...template, steps: Object.fromEntries(steps) };
}

async function activate({ name, ...outline }: WorkflowOutline): Promise<string> {
  const { id } = await world.service.createWorkflow({ body: { name, ...contentOf(outline) } });
  await world.service.updateWorkflow({ params: { id }, body: { name, state: 'Active' } });
  return id;
}

const retire = (id: string) =>
  world.service.updateWorkflow({ params: { id }, body: { name: 'Retired', state: 'Deleted' } });

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
  await until('the end of the run', async () => {
    const runs = await service.listWorkflowRuns({ query: { workflowId: id } });
    return runs.items[0]?.state === 'finished';
  });
  expect((await told()).map(({ username }) => username)).toEqual(['Workflow: A bad rating']);
  expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Open');
  await retire(id);
});

test('an urgent ticket that nobody answers is told to a channel', async () => {
  const { service, chat } = world;
  const { items } = await service.listWorkspaces({});
  const triage = items
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .find(({ channelName }) => channelName === 'it-triage');
  const outline = filled('Escalate an unanswered urgent ticket', {
    opened: { priority: 'LOW' },
    wait: { minutes: 0 },
    post: { channelId: triage?.id },
  });
  const { tell: _tell, ...steps } = outline.steps;
  const id = await activate({
    ...outline,
    steps,
    leads: [
      ['opened', 'wait'],
      ['wait', 'note', when('wait.answered', 'equals', 'false')],
      ['note', 'post'],
    ],
  });
  const ticket = await service.createTicket({ body: { title: 'Smoke', priority: 'LOW' } });
  const posts = async () =>
    (await chat.messages('it-triage')).filter(({ text }) => text.includes(`replied to ${ticket.code}`));
  await until('the post', async () => (await posts()).length > 0);
  await until('the end of the run', async () => {
    const runs = await service.listWorkflowRuns({ query: { workflowId: id } });
    return runs.items[0]?.state === 'finished';
  });
  expect(await posts()).toHaveLength(1);
  await retire(id);
});
