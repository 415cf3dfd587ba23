import { sql } from 'kysely';
import { expect, it } from 'vitest';

import type { TicketDetail } from '../../src/contract/index.ts';
import { when } from '../../src/service/workflow-config/outline.ts';
import { until } from '../harness/until.ts';
import { Chance } from '../simulation/chance.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch, type Launched } from '../service/launch.ts';
import { workNow } from '../service/work.ts';
import { openTables } from '../service/world.ts';
import { activate, messagesOf, sender, settledIn } from '../service/workflows/setup.ts';

/** Tickets of the drill, and kills while their runs go on. */
const TICKETS = 30;
const KILLS = 8;
const LONGEST_MS = 400;

it('F1 two services that are killed again and again do each step of each run once', async () => {
  const databaseUrl = await serviceDatabase();
  const chance = new Chance(7);
  const { db } = openTables({ databaseUrl });
  let first: Launched = await launch(databaseUrl);
  const second = await launch(databaseUrl);
  const send = sender(second);
  const { id: userId } = await send('POST', '/users', { firstName: 'Ada', email: 'ada@acme.example' });
  await activate(second, {
    steps: {
      opened: ['Opened', 'ticket.created', { priority: 'URGENT' }],
      hello: ['Hello', 'message.reply', { content: 'Hello' }],
      child: ['Child', 'ticket.create', { title: 'Child', parentId: '{{opened.ticketId}}', priority: 'LOW' }],
      ask: ['Ask', 'approval.request', { approverIds: [userId] }],
      wait: ['Wait', 'wait.for', { minutes: 0.001 }],
      raise: ['Lower', 'ticket.set-priority', { priority: 'LOW' }],
      bye: ['Bye', 'message.note', { content: 'Bye' }],
    },
    leads: [
      ['opened', 'hello'],
      ['opened', 'child'],
      ['hello', 'ask'],
      ['child', 'ask'],
      ['ask', 'wait', when('ask.decision', 'equals', 'approved')],
      ['wait', 'raise'],
      ['raise', 'bye'],
    ],
  });

  // Tickets are opened and approved through the second process, while the first one is killed.
  const tickets: string[] = [];
  const work = (async () => {
    for (let at = 0; at < TICKETS; at++) {
      const { id } = await send('POST', '/tickets', { title: `Ticket ${at}`, priority: 'URGENT' });
      tickets.push(id);
      await send('PUT', `/tickets/${id}`, {
        data: { approvedAt: '2026-11-20T10:00:00Z' },
        approverId: userId,
      });
    }
  })();
  for (let kill = 0; kill < KILLS; kill++) {
    const ms = chance.below(LONGEST_MS);
    const begun = Date.now();
    await until('the moment of a kill', async () => Date.now() - begun >= ms);
    await first.kill();
    first = await launch(databaseUrl);
  }
  await work;

  await until('every run to end', async () => {
    const open = await db.selectFrom('workflow_run').select('id').where('ended_at', 'is', null).execute();
    const all = await db.selectFrom('workflow_run').select('id').execute();
    return all.length >= TICKETS && open.length === 0;
  });
  await settledIn({ databaseUrl });
  const runs = await db.selectFrom('workflow_run').select(['ticket_id', 'state']).execute();
  expect(runs.map(({ ticket_id }) => ticket_id).toSorted()).toEqual(tickets.toSorted());
  expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['finished']));
  for (const id of tickets) {
    expect([id, (await messagesOf(second, id)).toSorted()]).toEqual([id, ['Bye', 'Hello']]);
    const { children } = await send('GET', `/tickets/${id}`);
    expect([id, children.length]).toEqual([id, 1]);
  }
});

it('F1 what finds, counts, links, reminds and reacts, and triggers by time, happen once through kills', async () => {
  const databaseUrl = await serviceDatabase();
  const chance = new Chance(8);
  const { db } = openTables({ databaseUrl });
  let first: Launched = await launch(databaseUrl);
  const second = await launch(databaseUrl);
  const send = sender(second);
  const { id: userId } = await send('POST', '/users', { firstName: 'Ada', email: 'ada@acme.example' });
  const { id: channelId } = await send('PUT', '/chat-channels', { channelId: 'C0OPS', channelName: 'ops' });
  await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', servesChat: true });
  const { id: otherTicketId } = await send('POST', '/tickets', { title: 'The other one', priority: 'LOW' });
  await activate(second, {
    steps: {
      opened: ['Opened', 'ticket.created', { priority: 'URGENT' }],
      find: ['Find', 'ticket.find-duplicates'],
      count: ['Count', 'ticket.count', { filter: { priority: 'LOW' } }],
      link: ['Link', 'ticket.link', { otherTicketIds: [otherTicketId] }],
      child: ['Child', 'ticket.create', { title: 'Child', parentId: '{{opened.ticketId}}', priority: 'LOW' }],
      all: ['All', 'message.reply-children', { content: 'For the child' }],
      add: ['Add', 'approval.add-approvers', { approverIds: [userId] }],
      remind: ['Remind', 'approval.remind'],
      post: ['Post', 'chat.post', { channelId, content: 'A post' }],
      react: ['React', 'chat.react', { channelId, messageTs: '{{post.messageTs}}', emoji: 'eyes' }],
    },
    leads: [
      ['opened', 'find'],
      ['find', 'count'],
      ['count', 'link'],
      ['opened', 'child'],
      ['child', 'all'],
      ['all', 'add'],
      ['add', 'remind'],
      ['link', 'post'],
      ['post', 'react'],
    ],
  });
  await activate(second, {
    steps: {
      idle: ['Idle', 'ticket.idle', { of: 'status-change', minutes: 60, priority: 'URGENT' }],
      note: ['Note', 'message.note', { content: 'Idle' }],
    },
    leads: [['idle', 'note']],
  });
  await activate(second, {
    steps: {
      due: ['Each day', 'schedule.due', { time: '09:00', timeZone: 'UTC' }],
      open: ['Open', 'ticket.create', { title: 'On a schedule', priority: 'LOW' }],
    },
    leads: [['due', 'open']],
  });
  // Both have counted for a while, and the schedule has missed a time.
  await sql`update workflow_trigger set counts_from = counts_from - interval '2 days',
    next_at = next_at - interval '1 day'`.execute(db);

  const tickets: string[] = [];
  const work = (async () => {
    for (let at = 0; at < TICKETS; at++) {
      const { id } = await send('POST', '/tickets', { title: `Ticket ${at}`, priority: 'URGENT' });
      await sql`update ticket set created_at = created_at - interval '1 day' where id = ${id}`.execute(db);
      tickets.push(id);
    }
  })();
  /** Wakes the triggers by time, and answers what chat is asked for, as a bridge does. */
  const serve = async () => {
    await workNow(openTables({ databaseUrl }), 'workflow-timer');
    const { items } = await send('GET', '/chat-requests?state=pending');
    for (const { id } of items) await send('PUT', `/chat-requests/${id}`, { messageTs: '1700000000.000100' });
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const ms = chance.below(LONGEST_MS);
    const begun = Date.now();
    await until('the moment of a kill', async () => Date.now() - begun >= ms);
    await first.kill();
    await serve();
    first = await launch(databaseUrl);
  }
  await work;

  await until('every run to end', async () => {
    await serve();
    const runs = await db.selectFrom('workflow_run').select(['id', 'ended_at']).execute();
    return runs.length >= 2 * TICKETS + 1 && runs.every(({ ended_at }) => ended_at !== null);
  });
  await settledIn({ databaseUrl });
  const runs = await db.selectFrom('workflow_run').select('state').execute();
  expect([runs.length, new Set(runs.map(({ state }) => state))]).toEqual([
    2 * TICKETS + 1,
    new Set(['finished']),
  ]);
  const requests = await db.selectFrom('chat_request').select('kind').execute();
  const of = (kind: string) => requests.filter((each) => each.kind === kind).length;
  expect([of('post'), of('reaction'), of('direct-message')]).toEqual([TICKETS, TICKETS, TICKETS]);
  for (const id of tickets) {
    expect([id, await messagesOf(second, id)]).toEqual([id, ['Idle']]);
    const { children, links, approvers } = (await send('GET', `/tickets/${id}`)) as unknown as TicketDetail;
    expect([id, children.length, links.length, approvers.length]).toEqual([id, 1, 1, 1]);
    expect(await messagesOf(second, children[0]?.id ?? '')).toEqual(['For the child']);
  }
  const { totalCount } = await send('GET', '/tickets?search=schedule');
  expect(totalCount).toBe(1);
});
