import { expect, it } from 'vitest';

import { until } from '../harness/until.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch } from '../service/launch.ts';
import { answers, startReceiver } from '../service/receiver.ts';

it('a service killed during a delivery delivers after its restart: the same id, the same bytes, nothing lost', async () => {
  const databaseUrl = await serviceDatabase();
  const receiver = await startReceiver(() => undefined);
  const before = await launch(databaseUrl);
  const webhook = (
    await before.call('POST', '/webhooks', { body: { url: receiver.url, eventTypes: ['Ticket'] } })
  ).body.id;
  const opened = await Promise.all(
    Array.from({ length: 12 }, () => before.call('POST', '/tickets', { body: { title: 'T' } })),
  );
  await receiver.received(4);
  await before.kill();
  receiver.hangUp();
  const lost = receiver.calls.map(({ headers }) => headers['webhook-id']);
  receiver.behave(answers(200));

  const after = await launch(databaseUrl);
  await until('every delivery to be made', async () => {
    const { body } = await after.call('GET', `/webhooks/${webhook}/deliveries?state=delivered`);
    return body.totalCount === 12;
  });
  const told = receiver.calls.map(({ body }) => (JSON.parse(body) as { ticket: { id: string } }).ticket.id);
  expect(new Set(told)).toEqual(new Set(opened.map(({ body }) => body.id)));
  const bodies = new Map<unknown, Set<string>>();
  for (const { headers, body } of receiver.calls)
    bodies.set(headers['webhook-id'], (bodies.get(headers['webhook-id']) ?? new Set()).add(body));
  expect([...bodies.values()].map(({ size }) => size)).toEqual(Array.from({ length: 12 }, () => 1));
  for (const id of lost)
    expect(receiver.calls.filter(({ headers }) => headers['webhook-id'] === id)).toHaveLength(2);
});
