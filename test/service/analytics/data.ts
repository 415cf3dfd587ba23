import { sql } from 'kysely';
import { expect } from 'vitest';

import type { Running } from '../harness.ts';
import { openTables } from '../world.ts';

export interface Asked {
  status: number;
  code: string | undefined;
  issue: { path: string; message: string } | undefined;
  type: string;
  data: Record<string, string | number | null>[];
  chartConfig: { type: string; series: { key: string; label: string; color: string }[]; xKey: string };
}

export type Ask = (
  kind: 'metric' | 'trend',
  query: Record<string, unknown>,
  around?: Record<string, unknown>,
  token?: string,
) => Promise<Asked>;

export function asker({ call, workspaceId }: Running): Ask {
  return async (kind, query, around = {}, token) => {
    const body = { workspaceId, query, ...around };
    const answer = await call('POST', `/analytics/preview-${kind}`, {
      body,
      ...(token !== undefined && { token }),
    });
    const issue = answer.body.issues?.[0];
    return { ...(answer.body as unknown as Asked), status: answer.status, issue };
  };
}

/** Tickets with given timestamps, which no operation can set. */
export async function writeTimes(
  running: Running,
  times: Record<
    string,
    Partial<Record<'created_at' | 'responded_at' | 'resolved_at' | 'assigned_at', string>>
  >,
): Promise<void> {
  const { db } = openTables(running);
  for (const [id, columns] of Object.entries(times))
    for (const [column, value] of Object.entries(columns))
      await sql`update ticket set ${sql.ref(column)} = ${value}::timestamptz where id = ${id}`.execute(db);
}

/** Four tickets of a workspace, few enough to compute everything by hand. */
export async function fourTickets(running: Running) {
  const { call } = running;
  const post = async (path: string, body: unknown, method = 'POST'): Promise<string> => {
    const answer = await call(method, path, { body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body.id;
  };
  const ada = await post('/users', { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@acme.example' });
  const ben = await post('/users', { firstName: 'Ben', email: 'ben@acme.example' });
  const { db } = openTables(running);
  const tag = async (id: string, name: string) => {
    await db
      .insertInto('tag')
      .values({
        workspace_id: running.workspaceId,
        id,
        name,
        color: '#123456',
        created_at: new Date(0),
        updated_at: new Date(0),
      })
      .execute();
    return { id };
  };
  const [vpn, wifi] = [await tag('tag_vpn', 'VPN'), await tag('tag_wifi', "Wi-Fi's")];
  const make = (body: Record<string, unknown>) => post('/tickets', { requesterId: ada, ...body });
  const a = await make({ title: 'A', priority: 'HIGH', tags: [vpn, wifi] });
  const b = await make({ title: 'B', priority: 'HIGH', tags: [vpn], requesterId: ben });
  const c = await make({ title: 'C', priority: 'LOW', source: 'CHAT' });
  const d = await make({ title: 'D', priority: 'URGENT' });
  await writeTimes(running, {
    [a]: {
      created_at: '2026-03-01T10:00:00Z',
      responded_at: '2026-03-01T10:01:00Z',
      resolved_at: '2026-03-01T11:00:00Z',
    },
    [b]: { created_at: '2026-03-01T12:00:00Z', responded_at: '2026-03-01T12:03:00Z' },
    [c]: {
      created_at: '2026-03-03T08:00:00Z',
      responded_at: '2026-03-03T08:02:00Z',
      assigned_at: '2026-03-03T08:00:30Z',
    },
    [d]: { created_at: '2026-03-04T23:30:00Z', responded_at: '2026-03-04T23:44:00Z' },
  });
  const rate = (ticketId: string, id: string, person: string, score: number) =>
    db
      .insertInto('csat')
      .values({
        workspace_id: running.workspaceId,
        id,
        ticket_id: ticketId,
        person_id: person,
        score,
        created_at: new Date(0),
        updated_at: new Date(0),
      })
      .execute();
  await rate(a, 'cst_1', ada, 5);
  await rate(a, 'cst_2', ben, 5);
  await rate(b, 'cst_3', ben, 2);
  return { running, ask: asker(running), post, ids: { a, b, c, d, ada, ben } };
}
