import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { transaction } from '../../src/platform/database/open.ts';
import { until } from '../harness/until.ts';
import { allow, callTool, newKey } from '../service/assist/mcp-call.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch } from '../service/launch.ts';
import { openTables } from '../service/world.ts';

/** What blocks a call at each of its steps. */
const STEPS: Record<string, (ticketId: string) => ReturnType<typeof sql>> = {
  'the key is to be claimed': () => sql`lock table tool_call in share mode`,
  'the ticket is to be written': (id) => sql`select 1 from ticket where id = ${id} for update`,
  'the message is written': () => sql`lock table audit_entry in share mode`,
};
const WRITES = ['add_note', 'send_reply'] as const;

it('a service killed at any step of a call has done all of it or nothing, and the repeated call does it once', async () => {
  const databaseUrl = await serviceDatabase();
  let running = await launch(databaseUrl);
  const { db } = openTables({ databaseUrl });
  const made = async (path: string, body: object) => (await running.call('POST', path, { body })).body.id;
  const workspaceId = (await running.call('GET', '/workspaces')).body.items[0]?.id ?? '';
  await allow({ ...running, workspaceId });

  for (const tool of WRITES)
    for (const [step, block] of Object.entries(STEPS)) {
      const ticketId = await made('/tickets', { title: step });
      const draftId = await made(`/tickets/${ticketId}/reply-drafts`, { content: 'Hello' });
      const input = {
        idempotencyKey: newKey(),
        ...(tool === 'add_note' ? { ticket: ticketId, text: 'Hello' } : { draftId, version: 1 }),
      };
      const held = Promise.withResolvers<undefined>();
      const over = Promise.withResolvers<undefined>();
      const lock = transaction(db, async (tx) => {
        await block(ticketId).execute(tx);
        held.resolve(undefined);
        await over.promise;
      });
      await held.promise;
      const lost = callTool(running, running.token, tool, input).catch(() => 'lost');
      await until('the call to wait for the lock', async () => {
        const { rows } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return rows.length > 0;
      });
      await running.kill();
      expect(await lost).toBe('lost');
      over.resolve(undefined);
      await lock;
      running = await launch(databaseUrl);
      const answers = [1, 2].map(() => callTool(running, running.token, tool, input));
      const outputs = (await Promise.all(answers)).map(({ output }) => output?.['messageId']);
      expect([tool, step, new Set(outputs).size, typeof outputs[0]]).toEqual([tool, step, 1, 'string']);
      const { body } = await running.call('GET', `/ticket-messages?ticketId=${ticketId}`);
      expect([tool, step, body.items.map(({ id }) => id)]).toEqual([tool, step, [outputs[0]]]);
    }
});
