import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import type { Client } from '../src/client/index.ts';
import { EXPORTED } from '../src/commands/exported.ts';
import { routes } from '../src/contract/index.ts';
import { runCommand } from './harness/run-command.ts';
import { ticketAt } from './harness/ticket.ts';
import { startWorld } from './harness/world.ts';

/** Lists that an export leaves out, with the reason. */
const LEFT_OUT: Record<string, string> = {
  readTicketActivity: 'one request per ticket; the history of a ticket stays in the service',
  listApiKeys: 'how programs reach the service, no part of what it holds',
  listSessions: 'who is signed in at the moment',
  listIdentities: 'how people sign in, no part of what it holds',
  listChatTeams: 'whom this installation trusts',
  listTicketWarnings: 'notices of the moment; the tickets have their due times',
  listScheduledReplies: 'not sent yet: each becomes a message, or its author deletes it',
  listReplyDrafts: 'not sent: each becomes a message, or is deleted',
  listChatRequests: 'of the moment: what they did is in the runs of workflows',
  listConnections: 'programs that people use, and what opens the API to them',
  listNotifications: 'belong to one person, and are forgotten in time',
  listWebhooks: 'addresses and what they are signed with are secrets',
  listDeliveries: 'belong to webhooks, and are forgotten in time',
  semanticSearch: 'tickets again',
  listTicketFiles: 'files again',
};

const About = z.object({ counts: z.record(z.string(), z.number().nullable()) });

async function everyOne(records: AsyncIterable<object>): Promise<object[]> {
  const all: object[] = [];
  for await (const record of records) all.push(record);
  return all;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('an export has every list of the API, or a reason why not', async () => {
  const lists = Object.entries(routes)
    .filter(([, { method, answer }]) => method === 'GET' && 'shape' in answer && 'items' in answer.shape)
    .map(([name]) => name);
  const read = new Set<string>();
  const all = async function* (name: string) {
    read.add(name);
    yield { id: 'any' };
  };
  const listWorkflowVersions = async () => {
    read.add('listWorkflowVersions');
    return { items: [] };
  };
  const client = { all, listWorkflowVersions } as unknown as Client;
  for (const records of Object.values(EXPORTED)) await everyOne(records(client));
  expect(lists.length).toBeGreaterThan(15);
  expect([...read, ...Object.keys(LEFT_OUT)].sort()).toEqual(lists.sort());
});

test('export writes every record, one per line, readable by its owner only and without secrets', async () => {
  const secret = 'planted-webhook-secret-2e7a-long-enough';
  const world = await startWorld({ SERVICE_WEBHOOK_SECRET: secret });
  const { service, environment, chat } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say('it-help', 'ada', `<@${bot}> export me\u2028 "all" of it`);
  const { id } = await ticketAt(service, ts);
  await service.createTicketMessage({ body: { ticketId: id, content: 'a note', private: true } });
  const gone = await service.createTicketMessage({ body: { ticketId: id, content: 'never mind' } });
  await service.deleteTicketMessage({ params: { id: gone.id } });
  await service.archiveTicket({ params: { id } });
  const other = await service.createWorkspace({ body: { name: 'Other', slug: 'other' } });
  const queue = await service.createQueue({
    body: { name: 'Other', prefix: 'OTH', workspaceId: other.id },
  });
  await service.createTicket({ body: { title: 'Of another workspace', queueId: queue.id } });
  await world.untilIdle();

  const folder = path.join(await newFolder(), 'of today');
  const { code, out, err } = await runCommand(['export', folder], environment);
  expect([code, err]).toEqual([0, '']);
  const { counts } = About.parse(JSON.parse(await readFile(path.join(folder, 'export.json'), 'utf8')));
  const files = (await readdir(folder)).sort();
  expect(files).toEqual([...Object.keys(EXPORTED).map((name) => `${name}.ndjson`), 'export.json'].sort());

  const recordsOf = async (name: string) =>
    (await readFile(path.join(folder, `${name}.ndjson`), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  let total = 0;
  for (const [name, records] of Object.entries(EXPORTED)) {
    const there = await everyOne(records(service));
    expect(await recordsOf(name), name).toEqual(there);
    expect(counts[name]).toBe(there.length);
    total += there.length;
  }
  expect(out).toContain(`${total} records were written`);
  const everything = { includeUnpublished: true, includeArchived: true };
  const home = await service.listTickets({ query: everything });
  const there = await service.listTickets({ query: { ...everything, workspaceId: other.id } });
  expect([counts['tickets'], there.totalCount]).toEqual([home.totalCount + 1, 1]);
  expect(counts['tickets']).toBeGreaterThan(200);
  expect((await recordsOf('tickets')).find((ticket) => ticket['id'] === id)).toMatchObject({
    archivedAt: expect.any(String) as string,
  });
  const messages = (await recordsOf('ticket-messages')).filter((message) => message['ticketId'] === id);
  expect(messages.map(({ private: hidden, deleted }) => [hidden, deleted])).toEqual([
    [true, false],
    [false, true],
  ]);
  for (const file of files) {
    const text = await readFile(path.join(folder, file), 'utf8');
    for (const planted of [secret, world.apiKey, '/webhooks/service']) expect(text).not.toContain(planted);
    expect((await stat(path.join(folder, file))).mode & 0o077).toBe(0);
  }

  const again = await runCommand(['export', folder], environment);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('is not empty')]);
  await world.stop();
  const later = path.join(await newFolder(), 'stopped');
  const stopped = await runCommand(['export', later], environment);
  expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('The export is incomplete')]);
  expect(await readdir(later)).not.toContain('export.json');
});
