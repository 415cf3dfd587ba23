import type { SubteamCreatedEvent, SubteamMembersChangedEvent, SubteamUpdatedEvent } from '@slack/types';
import type { UsergroupsListResponse } from '@slack/web-api';
import { expect, expectTypeOf, test } from 'vitest';

import type { groupObject } from '../../src/sandbox/workspace/usergroups.ts';
import { ADA, BEN, boltApp, Mailbox, openSandbox, SEED, webClient } from './open-sandbox.ts';
import { sandboxFile } from './sandbox-file.ts';

const WITH_GROUP = {
  ...SEED,
  userGroups: [{ id: 'S0AGENTS', handle: 'agents', name: 'Agents', users: [BEN] }],
};

test('group events and responses fit the SDK’s types', () => {
  type Group = ReturnType<typeof groupObject> & { users: string[] };
  expectTypeOf<Group>().toExtend<SubteamCreatedEvent['subteam']>();
  expectTypeOf<Omit<Group, 'auto_type' | 'deleted_by'>>().toExtend<
    NonNullable<UsergroupsListResponse['usergroups']>[number]
  >();
});

test('groups are listed, with their people and counts on request', async () => {
  const sandbox = await openSandbox({ seed: WITH_GROUP });
  const client = webClient(sandbox);
  const [plain] = (await client.usergroups.list({})).usergroups ?? [];
  expect(plain).toMatchObject({ id: 'S0AGENTS', handle: 'agents', name: 'Agents', date_delete: 0 });
  expect(plain).not.toHaveProperty('users');
  expect(plain).not.toHaveProperty('user_count');
  const [full] =
    (await client.usergroups.list({ include_users: true, include_count: true })).usergroups ?? [];
  expect(full).toMatchObject({ users: [BEN], user_count: 1 });
  expect((await client.usergroups.users.list({ usergroup: 'S0AGENTS' })).users).toEqual([BEN]);
  await expect(client.usergroups.users.list({ usergroup: 'S0NOBODY' })).rejects.toMatchObject({
    data: { error: 'no_such_subteam' },
  });
});

test('creating, changing and disabling a group each send an event', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const received = new Mailbox<SubteamCreatedEvent | SubteamUpdatedEvent | SubteamMembersChangedEvent>();
  await boltApp(sandbox, (app) => {
    app.event('subteam_created', async ({ event }) => received.put(event));
    app.event('subteam_updated', async ({ event }) => received.put(event));
    app.event('subteam_members_changed', async ({ event }) => received.put(event));
  });
  const { group } = await sandbox.control.userGroup({ user: 'ada', handle: 'agents', users: ['ben'] });
  await sandbox.control.userGroup({ user: 'ada', handle: 'agents', name: 'Agents', users: ['ada'] });
  await sandbox.control.userGroup({ user: 'ada', handle: 'agents', enabled: false });
  expect(await received.first(4)).toMatchObject([
    { type: 'subteam_created', subteam: { id: group, users: [BEN], user_count: 1, created_by: ADA } },
    { type: 'subteam_updated', subteam: { id: group, name: 'Agents', users: [ADA] } },
    { type: 'subteam_members_changed', subteam_id: group, added_users: [ADA], removed_users: [BEN] },
    { type: 'subteam_updated', subteam: { id: group, date_delete: expect.any(Number) as number } },
  ]);
  expect((await client.usergroups.list({})).usergroups).toEqual([]);
  expect((await client.usergroups.list({ include_disabled: true })).usergroups).toHaveLength(1);
});

test('a typed handle becomes a mention of the group while the group is enabled', async () => {
  const file = sandboxFile();
  const first = await openSandbox({ file, seed: WITH_GROUP });
  const say = async () =>
    (await first.control.message({ channel: 'it-help', user: 'ada', text: 'hey @agents!' })).message;
  expect(await say()).toMatchObject({
    text: 'hey <!subteam^S0AGENTS>!',
    blocks: [{ elements: [{ elements: [{}, { type: 'usergroup', usergroup_id: 'S0AGENTS' }, {}] }] }],
  });
  await first.control.userGroup({ user: 'ada', handle: 'agents', enabled: false });
  expect((await say()).text).toBe('hey @agents!');
  await first.stop();
  const second = await openSandbox({ file });
  expect(second.control.state().groups).toMatchObject([{ handle: 'agents', enabled: false }]);
});
