import { expect, test } from 'vitest';

import { migrateBridge } from '../../src/bridge/index.ts';
import { chatUsersOf, usersOf } from '../../src/bridge/people/people.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { CONNECTION_WAIT_MS, migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const RECORDS = [
  { id: 'usr_new', chatUsers: [{ chatTeamId: 'T1', chatUserId: 'U_NEW' }] },
  { id: 'usr_left', chatUsers: [{ chatTeamId: 'T1', chatUserId: 'U_LEFT' }] },
  { id: 'usr_other', chatUsers: [{ chatTeamId: 'T1', chatUserId: 'U_OTHER' }] },
];

test('B10 B43 a user who is matched during the lookup is found; one who left or is linked to another account is not', async () => {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const database = openDatabase<BridgeTables>({ url, schema: 'bridge', log, waitMs: CONNECTION_WAIT_MS });
  const person = { team_id: 'T1', name: 'Somebody', is_bot: false, is_guest: false, read_at: new Date() };
  const listUsers = async () => {
    // Other work reads these people from chat at the same time.
    await database.db
      .insertInto('person')
      .values([
        { ...person, chat_user_id: 'U_NEW', user_id: 'usr_new', is_deleted: false },
        { ...person, chat_user_id: 'U_LEFT', user_id: 'usr_left', is_deleted: true },
        { ...person, chat_user_id: 'U_OTHER', user_id: 'usr_somebody', is_deleted: false },
      ])
      .execute();
    return { items: RECORDS };
  };
  const channels = { workspaceIds: () => Promise.resolve(['wsp_1']) };
  const bridge = { database, bot: { team: 'T1' }, service: { listUsers }, channels };
  const found = await chatUsersOf(
    bridge as unknown as Parameters<typeof chatUsersOf>[0],
    RECORDS.map(({ id }) => id),
  );
  await database.close();
  expect([...found]).toEqual([['usr_new', 'U_NEW']]);
});

test('only the requested users are returned, even if the service lists others', async () => {
  const service = { listUsers: () => Promise.resolve({ items: RECORDS }) };
  const channels = { workspaceIds: () => Promise.resolve(['wsp_1', 'wsp_2']) };
  const bridge = { service, channels } as unknown as Parameters<typeof usersOf>[0];
  const found = await usersOf(bridge, ['usr_new', 'usr_unknown']);
  expect(found.map(({ id }) => id)).toEqual(['usr_new']);
});
