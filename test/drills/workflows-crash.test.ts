import { expect, it } from 'vitest';

import { when } from '../../src/service/workflow-config/outline.ts';
import { until } from '../harness/until.ts';
import { Chance } from '../simulation/chance.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch, type Launched } from '../service/launch.ts';
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
