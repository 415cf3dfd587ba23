import { sql } from 'kysely';
import { expect, it } from 'vitest';

import type { TicketDetail } from '../../../src/contract/index.ts';
import { ACTIONS } from '../../../src/service/workflows/actions/index.ts';
import type { WorkflowOutline } from '../../../src/service/workflow-config/outline.ts';
import { until } from '../../harness/until.ts';
import { create, put, statuses } from '../tickets/requests.ts';
import { workNow } from '../work.ts';
import { onlyRun, setUp, states } from './setup.ts';

const MINUTES = 1;
const PASSES_MS = 2 * 60_000;
const CLASSES = ['workflow-event', 'workflow-step', 'workflow-timer', 'workflow-upkeep'];

type World = Awaited<ReturnType<typeof setUp>>;

/** A workflow with every action that there is, in a world that has what they name. */
async function everyAction({ send, activate, clock }: World) {
  const [requester, lead, other] = await Promise.all(
    ['ada', 'mira', 'tom'].map(
      async (firstName): Promise<string> =>
        (await send('POST', '/users', { firstName, email: `${firstName}@acme.example` })).id,
    ),
  );
  const { id: queueId } = await send('POST', '/queues', { name: 'Facilities', prefix: 'FAC' });
  const { id: tag } = await send('POST', '/tags', { name: 'vpn' });
  const { id: channelId } = await send('PUT', '/chat-channels', { channelId: 'C0OPS', channelName: 'ops' });
  await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', servesChat: true });
  const called = await activate({
    steps: { run: ['By hand', 'ticket.run'], note: ['Note', 'message.note', { content: 'From the other' }] },
    leads: [['run', 'note']],
  });
  const at = new Date(clock.now().getTime() + 60_000).toISOString();
  const content = 'Posted';
  const inputs: Record<string, object> = {
    'ticket.create': { title: 'Child', parentId: '{{run.ticketId}}' },
    'ticket.update': { data: { title: 'Changed' } },
    'ticket.assign': { assigneeId: lead },
    'ticket.set-status': { statusGroup: 'IN_PROGRESS' },
    'ticket.set-priority': { priority: 'HIGH' },
    'ticket.move': { queueId },
    'ticket.add-tags': { tagIds: [tag] },
    'ticket.link': { otherTicketIds: '{{ticket_create.ticketId}}' },
    'ticket.find-duplicates': {},
    'ticket.count': { filter: { priority: 'HIGH' } },
    'message.reply': { content: 'A reply' },
    'message.note': { content: 'A note' },
    'message.reply-children': { content: 'To each child' },
    'approval.add-approvers': { approverIds: [other] },
    'approval.remind': {},
    'approval.request': { approverIds: [lead], reason: 'Because' },
    'chat.post': { channelId, content },
    'chat.direct-message': { userId: lead, content },
    'chat.react': { channelId, messageTs: '{{chat_post.messageTs}}', emoji: 'eyes' },
    'wait.for': { minutes: MINUTES },
    'wait.until': { at },
    'wait.business-time': { minutes: MINUTES },
    'wait.for-reply': {},
    'wait.for-children': {},
    'condition.if': { value: '{{ticket.priority}}', condition: 'equals', expected: 'HIGH' },
    'condition.ticket-matches': { priority: 'HIGH' },
    'condition.business-hours': {},
    'workflow.run': { workflowId: called },
  };
  expect(Object.keys(inputs).toSorted()).toEqual(Object.keys(ACTIONS).toSorted());
  const names = Object.keys(inputs);
  const idOf = (name: string) => name.replaceAll('.', '_');
  // One after the other; conditions stand side by side, because not all of them hold.
  const isCondition = (name: string) => name.startsWith('condition.');
  const others = names.filter((name) => !isCondition(name));
  const leads: WorkflowOutline['leads'] = [
    ...others.map(
      (name, place) => [place === 0 ? 'run' : idOf(others[place - 1] ?? ''), idOf(name)] as const,
    ),
    ...names.filter(isCondition).map((name) => ['run', idOf(name)] as const),
  ];
  const workflow = await activate({
    steps: {
      run: ['By hand', 'ticket.run'],
      ...Object.fromEntries(names.map((name) => [idOf(name), [name, name, inputs[name]] as const])),
    },
    leads,
  });
  return { workflow, requester, lead, called };
}

/** Lets the first end of every piece of a workflow's work be lost after all of it was written, as by a kill. */
async function loseFirstEnds({ tables: { db } }: World): Promise<void> {
  await sql`
    create function lose_end() returns trigger language plpgsql as $$
    begin raise exception 'the connection is gone' using errcode = '57P01'; end $$`.execute(db);
  await sql`
    create trigger lose_end before update of done_at on work for each row
    when (new.done_at is not null and new.begins < 2 and new.kind like 'workflow-%')
    execute function lose_end()`.execute(db);
}

/** Runs every action on a ticket; returns what came of it. */
async function effects(isKilled: boolean) {
  const world = await setUp();
  const { service, send, tables, clock } = world;
  const { workflow, requester, lead, called } = await everyAction(world);
  const { id } = await create(service, { requesterId: requester });
  const byLabel = await statuses(service);
  if (isKilled) await loseFirstEnds(world);
  await send('POST', `/workflows/${workflow}/run`, { ticketId: id });
  const answerChat = async () => {
    for (const each of (await send('GET', '/chat-requests?state=pending')).items)
      await send('PUT', `/chat-requests/${each.id}`, { messageTs: '1700000000.000100' });
  };
  const read = async () => (await send('GET', `/tickets/${id}`)) as unknown as TicketDetail;
  const childId = async () => (await read()).children[0]?.id ?? '';
  const answers: Record<string, () => Promise<unknown>> = {
    'chat.post': answerChat,
    'chat.direct-message': answerChat,
    'chat.react': answerChat,
    'approval.request': () =>
      send('PUT', `/tickets/${id}`, { data: { approvedAt: '2026-11-20T10:00:00Z' }, approverId: lead }),
    'wait.for-reply': () =>
      send('POST', '/ticket-messages', { ticketId: id, content: 'Here', authorId: requester }),
    'wait.for-children': async () => put(service, await childId(), { statusId: byLabel['Done'] }),
  };
  const answered = new Set<string>();
  await until('the runs to end', async () => {
    for (const each of CLASSES) await workNow(tables, each);
    const run = await onlyRun(service, `workflowId=${workflow}`);
    expect(run.steps.map(({ error }) => error).filter(Boolean)).toEqual([]);
    const waiting = run.steps.find(({ state }) => state === 'waiting');
    if (waiting && !answered.has(waiting.stepId)) {
      answered.add(waiting.stepId);
      clock.pass(PASSES_MS);
      await answers[waiting.action]?.();
    }
    if (run.state !== 'finished') return false;
    return (await onlyRun(service, `workflowId=${called}`)).state === 'finished';
  });
  const ended = await onlyRun(service, `workflowId=${workflow}`);
  const ticket = await read();
  const rows = async (query: ReturnType<typeof sql>) => (await query.execute(tables.db)).rows;
  const [{ lost } = { lost: 0 }] = (await rows(
    sql`select count(*)::int as lost from work where kind like 'workflow-%' and begins > 1`,
  )) as { lost: number }[];
  return {
    lost,
    answered: [...answered],
    states: states(ended),
    ticket: {
      title: ticket.title,
      priority: ticket.priority,
      code: ticket.code,
      approvers: ticket.approvers.length,
      tags: ticket.tags.length,
      children: ticket.children.length,
      status: ticket.status.label,
    },
    messages: await rows(sql`
      select t.title, m.content, m.private from ticket_message m join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
      order by m.content, t.title`),
    chat: await rows(sql`select kind, state, content from chat_request order by kind, content`),
    history: await rows(
      sql`select kind, field, actor_kind, count(*)::int as times from ticket_activity group by 1, 2, 3 order by 1, 2, 3`,
    ),
    events: await rows(sql`select count(*)::int as events from event`),
  };
}

it('each action and wait has its effect once, though the end of each piece of work is lost once after it was written', async () => {
  const { lost: undisturbed, ...expected } = await effects(false);
  const { lost, ...actual } = await effects(true);
  expect([undisturbed, lost >= Object.keys(ACTIONS).length]).toEqual([0, true]);
  expect(actual).toEqual(expected);
  // And once is what it is in peace, too.
  expect(actual.ticket).toMatchObject({
    title: 'Changed',
    priority: 'HIGH',
    children: 1,
    tags: 1,
    approvers: 2,
  });
  expect(actual.chat).toHaveLength(4);
  expect(Object.values(actual.states).filter((state) => state === 'done')).toHaveLength(
    Object.keys(ACTIONS).length + 1,
  );
});
