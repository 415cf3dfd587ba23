import { expect, test } from 'vitest';

import { routes } from '../../src/contract/index.ts';
import { access } from '../../src/ui/desk/messages/access.ts';
import { fateOf, nameIn, type Sides } from '../../src/ui/desk/settings/audit-log/operation-words.ts';

/** Their action in the log says everything. */
const SAID_BY_ACTION = new Set([
  'ticket.archived',
  'message.deleted',
  'file.deleted',
  'user.changed',
  'session.ended',
  'connection.ended',
  'api-key.created',
  'api-key.revoked',
]);

test('the audit log has words for people for every operation that it records', () => {
  const recorded = Object.entries(routes).flatMap(([name, route]) => {
    const { audit, role, method } = route as { audit?: string; role?: string; method: string };
    const isSetting = audit === undefined && role === 'admin' && method !== 'GET';
    return isSetting || (audit !== undefined && audit !== 'own' && !SAID_BY_ACTION.has(audit)) ? [name] : [];
  });
  expect(Object.keys(access.auditLog.operations).toSorted()).toEqual(recorded.toSorted());
});

test.each<[string, Record<string, Sides>, ReturnType<typeof fateOf>, string | undefined]>([
  ['created', { name: { after: 'Ada' }, enabled: { after: true } }, 'created', 'Ada'],
  ['deleted', { name: { before: 'Ada' }, key: {} }, 'deleted', 'Ada'],
  ['renamed', { name: { before: 'Ada', after: 'Eve' } }, 'changed', undefined],
  ['changed where nothing is shown', { key: {} }, 'changed', undefined],
  ['a status created', { label: { after: 'Waiting' } }, 'created', 'Waiting'],
])('an entry says of a record: %s', (_, changes, fate, name) => {
  expect([fateOf(changes), nameIn(changes)]).toEqual([fate, name]);
});
