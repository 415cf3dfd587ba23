import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch } from '../service/launch.ts';
import { signIn } from '../service/signed-in.ts';
import { openTables } from '../service/world.ts';

const REPLIES = 40;
/** How many replies have gone out when the service is killed, each time. */
const KILLED_AT = [1, 12, 25];

test('scheduled replies are sent once each, and in full, by a service that is killed while it sends them', async () => {
  const databaseUrl = await serviceDatabase();
  let service = await launch(databaseUrl);
  const [workspace] = (await service.call('GET', '/workspaces')).body.items;
  const { db } = openTables({ databaseUrl });
  const author = await signIn(db, workspace?.id ?? '', { role: 'admin' });
  const ticketId = (await service.call('POST', '/tickets', { body: { title: 'The lift is stuck' } })).body.id;
  const expected = Array.from({ length: REPLIES }, (_, index) => `Reply ${index}`);
  for (const content of expected) {
    const body = { ticketId, content, delaySeconds: 5 };
    const { status } = await service.call('POST', '/scheduled-replies', { token: author.token, body });
    expect(status).toBe(200);
  }
  const sent = async () =>
    (await db.selectFrom('ticket_message').select('content').where('ticket_id', '=', ticketId).execute()).map(
      ({ content }) => content,
    );
  for (const count of KILLED_AT) {
    await until(`${count} replies`, async () => (await sent()).length >= count);
    await service.kill();
    service = await launch(databaseUrl);
  }
  await until('all replies', async () => (await sent()).length >= REPLIES);
  const left = await service.call('GET', '/scheduled-replies');
  expect(left.body.items).toEqual([]);
  expect((await sent()).toSorted()).toEqual(expected.toSorted());
});
