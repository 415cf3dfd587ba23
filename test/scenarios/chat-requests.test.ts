import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { TURN_MS } from '../../src/bridge/features/chat-requests/rules.ts';
import { contentOf } from '../../src/service/workflow-config/outline.ts';
import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, sharedWorld } from '../harness/world.ts';
import { openTables } from '../service/world.ts';

const world = sharedWorld();

const CHANNEL = 'it-triage';
const tables = () => openTables({ databaseUrl: world.environment['DATABASE_URL'] ?? '' });

/** The posts in the channel that say something. */
const saying = async (words: string) =>
  (await world.chat.messages(CHANNEL)).filter(({ text }) => text.includes(words));

/** A workflow that does one step when it is run. */
async function doing(
  workspaceId: string,
  name: string,
  step: readonly [title: string, action: string, inputs: Record<string, unknown>],
): Promise<string> {
  const { service } = world;
  const { id } = await service.createWorkflow({
    body: {
      name,
      workspaceId,
      ...contentOf({ steps: { run: ['Run by hand', 'ticket.run'], step }, leads: [['run', 'step']] }),
    },
  });
  await service.updateWorkflow({ params: { id }, body: { name, state: 'Active' } });
  return id;
}

/** A workflow that posts in a channel when it is run. */
const posting = (workspaceId: string, channelId: string, says: string, name = `Post ${says}`) =>
  doing(workspaceId, name, ['Post', 'chat.post', { channelId, content: says }]);

async function home() {
  const { items } = await world.service.listWorkspaces({});
  const [workspace] = items;
  const channel = workspace?.chatTriageChannels.find(({ channelName }) => channelName === CHANNEL);
  return { workspaceId: workspace?.id ?? '', channel };
}

/** Requests that are older than all others, to a person who is not in this Slack workspace. */
async function leaveRequestsOfOthers(runId: string, count: number): Promise<void> {
  const { id: userId } = await world.service.createUser({
    body: { firstName: 'Elsewhere', email: 'elsewhere@other.example' },
  });
  const { db } = tables();
  await sql`
    insert into workflow_run_step (workspace_id, run_id, step_id, position, state, began_at)
    select r.workspace_id, r.id, 'elsewhere' || n, 100 + n, 'waiting', r.created_at
    from workflow_run r, generate_series(1, ${count}) as n where r.id = ${runId}`.execute(db);
  await sql`
    insert into chat_request (workspace_id, id, run_id, step_id, kind, user_id, content, state, created_at, updated_at)
    select r.workspace_id, 'elsewhere' || n, r.id, 'elsewhere' || n, 'direct-message', ${userId}, 'Hello', 'pending',
      r.created_at - interval '1 hour', r.created_at
    from workflow_run r, generate_series(1, ${count}) as n where r.id = ${runId}`.execute(db);
}

test.for([
  ['with many styles', `${'*a* b '.repeat(300)}end of the styles & all`, 'end of the styles &amp; all'],
  [
    'with a wide table',
    `| ${'w'.repeat(200)} | b |\n| --- | --- |\n${'| a | b |\n'.repeat(100)}| a | end of the table |`,
    'end of the table',
  ],
] as const)('a text %s is one post that has its end', async ([name, says, end]) => {
  const { service } = world;
  const { workspaceId, channel } = await home();
  const id = await posting(workspaceId, channel?.id ?? '', says, `Post a text ${name}`);
  const ticket = await service.createTicket({ body: { title: 'Long' } });
  await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
  await until('the end of the run', async () => {
    const { items } = await service.listWorkflowRuns({ query: { workspaceId, workflowId: id } });
    return items.length > 0 && items.every(({ state }) => state === 'finished');
  });
  expect((await saying(end)).length).toBe(1);
});

test('requests that another bridge has to serve do not keep this one from its own, however many are older', async () => {
  const { service } = world;
  const { workspaceId, channel } = await home();
  const id = await posting(workspaceId, channel?.id ?? '', 'behind many others');
  const ticket = await service.createTicket({ body: { title: 'First' } });
  const run = await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
  await until('the first post', async () => (await saying('behind many others')).length === 1);
  await leaveRequestsOfOthers(run.id, 450);
  const other = await service.createTicket({ body: { title: 'Second' } });
  await service.runWorkflow({ params: { id }, body: { ticketId: other.id } });
  await until('the second post', async () => (await saying('behind many others')).length === 2);
});

test('requests of every workspace are served that the bridge has access to', async () => {
  const { service, clock } = world;
  const { workspaceId: atHome, channel } = await home();
  const { id: workspaceId } = await service.createWorkspace({ body: { name: 'Second', slug: 'second' } });
  const { id: queueId } = await service.createQueue({
    body: { workspaceId, name: 'Second', prefix: 'SEC' },
  });
  const linked = await service.linkChatChannel({
    body: {
      workspaceId,
      channelId: channel?.channelId ?? '',
      channelName: CHANNEL,
      type: 'TRIAGE',
      teamId: channel?.contextTeamId ?? null,
      queueId,
    },
  });
  clock.pass(SETTINGS_CACHE_MS);
  const id = await posting(workspaceId, linked.id, 'of the second workspace');
  const ticket = await service.createTicket({ body: { queueId, title: 'Of the second' } });
  await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
  const first = await service.createTicket({ body: { title: 'Of the first' } });
  const idOfFirst = await posting(atHome, channel?.id ?? '', 'of the first workspace');
  await service.runWorkflow({ params: { id: idOfFirst }, body: { ticketId: first.id } });
  await until('the post', async () => (await saying('of the second workspace')).length === 1);
  await until('the end of the run', async () => {
    const { items } = await service.listWorkflowRuns({ query: { workspaceId, workflowId: id } });
    return items.every(({ state }) => state === 'finished');
  });
});

test('an emoji that a workflow puts on a post stands there once, and the run goes on', async () => {
  const { service, chat } = world;
  const { workspaceId, channel } = await home();
  const channelId = channel?.id ?? '';
  const name = 'React';
  const { id } = await service.createWorkflow({
    body: {
      name,
      workspaceId,
      ...contentOf({
        steps: {
          run: ['Run by hand', 'ticket.run'],
          post: ['Post', 'chat.post', { channelId, content: 'to be seen' }],
          react: ['React', 'chat.react', { channelId, messageTs: '{{post.messageTs}}', emoji: 'eyes' }],
          wrong: ['React', 'chat.react', { channelId, messageTs: '1.000001', emoji: 'eyes' }],
        },
        leads: [
          ['run', 'post'],
          ['post', 'react'],
          ['react', 'wrong'],
        ],
      }),
    },
  });
  await service.updateWorkflow({ params: { id }, body: { name, state: 'Active' } });
  const ticket = await service.createTicket({ body: { title: 'To react to' } });
  const run = await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
  await until('the end of the run', async () => {
    const { state } = await service.readWorkflowRun({ params: { id: run.id } });
    return state === 'failed';
  });
  const { steps } = await service.readWorkflowRun({ params: { id: run.id } });
  expect(steps.map(({ stepId, state }) => [stepId, state])).toEqual([
    ['run', 'done'],
    ['post', 'done'],
    ['react', 'done'],
    ['wrong', 'failed'],
  ]);
  expect(steps.at(-1)?.error).toContain('the post is gone');
  const [post] = (await chat.messages(CHANNEL)).filter(({ text }) => text.includes('to be seen'));
  expect(post?.reactions).toEqual([{ name: 'eyes', users: [expect.any(String)] }]);
});

/** A person of the bridge's Slack workspace, whose accounts are in these as well, before or after its own. */
async function addPerson(name: string, teams: readonly string[]): Promise<string> {
  const { user: chatUserId } = await world.chat.post<{ user: string }>('add-person', {
    name,
    email: `${name}@acme.example`,
  });
  const account = (chatTeamId: string) =>
    chatTeamId === DEMO.team.id ? { chatUserId, chatTeamId } : { chatUserId: 'U0ELSEWHERE', chatTeamId };
  const { id } = await world.service.createUser({
    body: { firstName: name, chatUsers: teams.map(account) },
  });
  return id;
}

test('a workflow writes once to a person with accounts in two Slack workspaces: one leaves it to the other for some minutes', async () => {
  const { service, chat, clock } = world;
  const { workspaceId } = await home();
  const ticket = await service.createTicket({ body: { title: 'For two accounts' } });
  const ask = async (name: string, userId: string) => {
    const id = await doing(workspaceId, name, ['Tell', 'chat.direct-message', { userId, content: name }]);
    await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
    await until('the request', async () => {
      const { items } = await service.listChatRequests({ query: { workspaceId, search: name } });
      return items.length === 1;
    });
  };
  const told = async (person: string) => (await chat.messages('@deskbridge', person)).map(({ text }) => text);
  const isTold = (person: string, words: string) =>
    until(words, async () => (await told(person)).includes(words));
  const twofold = await addPerson('twofold', ['T0ELSEWHERE', DEMO.team.id]);
  const single = await addPerson('single', [DEMO.team.id]);
  await ask('to both accounts', twofold);
  await ask('to the only account', single);
  await isTold('single', 'to the only account');
  expect(await told('twofold')).toEqual([]);
  // The other workspace did not write: it may have removed the app.
  clock.pass(TURN_MS);
  await ask('to the only account again', single);
  await isTold('twofold', 'to both accounts');
  await isTold('single', 'to the only account again');
  expect(await told('twofold')).toEqual(['to both accounts']);
});
