import { once } from 'node:events';
import net from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { ASSIST_LIMITS } from '../../../src/service/assist/limits.ts';
import { until } from '../../harness/until.ts';
import { type Settings, startTestService } from '../harness.ts';
import { openTables } from '../world.ts';
import { allow, callTool, mcpUrl, newKey } from './mcp-call.ts';

async function setUp(settings?: Settings) {
  const running = await startTestService(settings);
  await allow(running);
  const token = await running.key('agent');
  const { body: ticket } = await running.call('POST', '/tickets', { body: { title: 'The VPN drops' } });
  return { ...running, token, ticket };
}

/** Locks a ticket, as a writer that does not end; returns what lets it go. */
async function lockTicket(
  running: Parameters<typeof openTables>[0],
  id: string,
): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<undefined>();
  const letGo = Promise.withResolvers<undefined>();
  const held = openTables(running)
    .db.transaction()
    .execute(async (tx) => {
      await tx.selectFrom('ticket').select('id').where('id', '=', id).forUpdate().execute();
      locked.resolve(undefined);
      await letGo.promise;
    });
  await locked.promise;
  const end = () => {
    letGo.resolve(undefined);
    return held;
  };
  // If the test fails meanwhile: its service and its tables could not be closed.
  onTestFinished(end);
  return end;
}

it('a call that takes too long is answered, and has one effect when it is repeated', async () => {
  const { token, ticket, call, ...running } = await setUp({ assistCallMs: 200 });
  const note = { ticket: ticket.code, text: 'It is the certificate.', idempotencyKey: newKey() };
  const letGo = await lockTicket(running, ticket.id);
  const late = await callTool(running, token, 'add_note', note);
  expect([late.code, late.text.includes('idempotencyKey')]).toEqual(['SERVICE_UNAVAILABLE', true]);
  await letGo();
  // Until the late one has ended, it waits for that.
  await until('the note', async () => (await callTool(running, token, 'add_note', note)).output);
  const { items } = (await call('GET', `/ticket-messages?ticketId=${ticket.id}`)).body;
  expect(items.map(({ content }) => content)).toEqual(['It is the certificate.']);
});

it('calls that hang count against their caller alone, until they end', async () => {
  const { token, ticket, ...running } = await setUp({ assistCallMs: 200 });
  const letGo = await lockTicket(running, ticket.id);
  const hanging = Array.from({ length: ASSIST_LIMITS.callsAtOnce }, () =>
    callTool(running, token, 'add_note', { ticket: ticket.code, text: 'Hm.', idempotencyKey: newKey() }),
  );
  // Answered as late: they still run.
  await Promise.all(hanging);
  const search = (as: string) => callTool(running, as, 'search_tickets', { query: 'vpn' });
  expect((await search(token)).code).toBe('TOO_MANY_REQUESTS');
  const other = await running.key('agent');
  // On a busy machine, its answer may come late as well.
  await until('the answer to another caller', async () => (await search(other)).code === undefined);
  expect((await search(token)).code).toBe('TOO_MANY_REQUESTS');
  await letGo();
});

it('clients that do not read their answers hold no call', async () => {
  const { token, ticket, ...running } = await setUp();
  const { hostname, port, pathname } = new URL(mcpUrl(running.url));
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_ticket', arguments: { ticket: ticket.code } },
  });
  for (let client = 0; client < 2 * ASSIST_LIMITS.callsAtOnce; client++) {
    const socket = net.connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.pause();
    socket.write(
      [
        `POST ${pathname} HTTP/1.1`,
        `host: ${hostname}:${port}`,
        `authorization: Bearer ${token}`,
        'accept: application/json, text/event-stream',
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
    // Its answer has come, and is not read.
    await once(socket, 'readable');
  }
  expect((await callTool(running, token, 'get_ticket', { ticket: ticket.code })).code).toBeUndefined();
});
