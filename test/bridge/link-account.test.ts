import { expect, onTestFinished, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { claimAccounts } from '../../src/bridge/people/claim-account.ts';
import { linkMe } from '../../src/bridge/people/link-me.ts';
import { migrateBridge } from '../../src/bridge/index.ts';
import { linkPerson, unlinkPerson } from '../../src/bridge/people/link-person.ts';
import { openCodes } from '../../src/bridge/people/link-codes.ts';
import { findPerson, type Person, personOf, readPerson } from '../../src/bridge/people/people.ts';
import { prune } from '../../src/bridge/retention.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });
const START = Date.parse('2026-01-01T10:00:00.000Z');
const MINUTE_MS = 60_000;
const TICKET = 'tkt_1';

/** A bridge on a database of its own; its service holds messages and users, its chat one person, U1. */
async function openDesk() {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const database = openDatabase<BridgeTables>({ url, schema: 'bridge', log, poolSize: 3 });
  onTestFinished(() => database.close());
  let now = START;
  let ids = 0;
  let takesMessages = true;
  const messages: Record<string, unknown>[] = [];
  const newId = (prefix: string) => `${prefix}_${++ids}`;
  const users = [
    { id: 'mira', firstName: 'Mira', lastName: 'Desk', email: null, isBot: false, chatUsers: [] },
    { id: 'other', firstName: 'Other', lastName: null, email: null, isBot: false, chatUsers: [] },
    { id: 'key', firstName: 'Key', lastName: null, email: null, isBot: true, chatUsers: [] },
  ];
  const add = (body: Record<string, unknown>) => {
    const at = new Date(now).toISOString();
    const pair = { channelId: body.chatChannelId, ts: body.chatTimestamp };
    const message = {
      ...{ source: 'API', private: false, deleted: false, status: 'CREATED', emailMessageId: null },
      ...{ id: newId('msg'), authorId: null, chatChannelId: null, createdAt: at, updatedAt: at },
      chatMessages: body.chatChannelId ? [pair] : [],
      ...body,
    };
    messages.push(message);
    return message;
  };
  const bridge = {
    database,
    log,
    newId,
    clock: { now: () => new Date(now) },
    newSecret: () => `a secret that is not told ${++ids}`,
    bot: { team: 'T1', userId: 'UBOT', botId: 'BBOT', name: 'desk' },
    channels: {
      syncsPeople: () => Promise.resolve(true),
      workspaceIds: () => Promise.resolve(['wsp_1']),
    },
    chat: {
      profile: () =>
        Promise.resolve({
          id: 'U1',
          displayName: 'Mina',
          firstName: 'Mina',
          isDeleted: false,
          isGuest: false,
          isBot: false,
        }),
      directChannel: () => Promise.resolve('D1'),
    },
    service: {
      async *all() {
        yield* await Promise.resolve([...messages]);
      },
      listUsers: ({ query }: { query: { set: string } }) =>
        Promise.resolve({ items: users.filter(({ id }) => id === query.set) }),
      createUser: () => Promise.resolve({ id: 'matched' }),
      createOrFind: (_: string, { body }: { body: Record<string, unknown> }) =>
        takesMessages
          ? Promise.resolve({ record: add(body), created: true })
          : Promise.reject(new Error('the service is away')),
    },
  } as unknown as Bridge;
  const person = await personOf(bridge, 'T1', 'U1');
  return {
    bridge,
    person,
    /** The line that `/ticket link-me` answers with. */
    line: async () => /```(.*)```/.exec((await linkMe(bridge, person)).text)?.[1] ?? '',
    note: (authorId: string, content: string) =>
      add({ ticketId: TICKET, authorId, content, private: true, source: 'WEB' }),
    claim: (attempt = 1) =>
      claimAccounts(bridge, { firstAttempt: attempt === 1, receivedAt: new Date(now) }, TICKET),
    speaksAs: async () => (await findPerson(bridge, 'T1', 'U1'))?.user_id,
    told: () => messages.filter(({ content }) => String(content).includes('(U1) speaks as')),
    later: (minutes: number) => (now += minutes * MINUTE_MS),
    serviceIs: (up: boolean) => (takesMessages = up),
    saidInChat: () =>
      database.db.selectFrom('outbox').select('kind').where('channel_id', '=', 'D1').execute(),
  };
}

test('B10 a code links whoever writes it as a note first, once, within its time, and only the last one', async () => {
  const desk = await openDesk();
  const { note, claim, speaksAs } = desk;
  const replaced = await desk.line();
  const late = await desk.line();
  note('mira', replaced);
  await claim();
  expect(await speaksAs()).toBe('matched');
  desk.later(16);
  note('mira', late);
  await claim();
  expect(await speaksAs()).toBe('matched');
  const line = await desk.line();
  note('key', line);
  await claim();
  expect(await speaksAs()).toBe('matched');
  note('mira', line);
  note('other', line);
  await claim();
  await claim();
  note('other', line);
  await claim();
  expect(await speaksAs()).toBe('mira');
  expect(desk.told()).toHaveLength(1);
  expect(await desk.saidInChat()).toEqual([{ kind: 'line' }]);
  expect(await openCodes(desk.bridge)).toEqual([]);
});

test('B10 a link whose note the service did not take in time is made, and the team told of it later, once', async () => {
  const desk = await openDesk();
  const line = await desk.line();
  desk.note('mira', line);
  desk.serviceIs(false);
  await expect(desk.claim()).rejects.toThrow('away');
  expect(await desk.speaksAs()).toBe('mira');
  // Meanwhile the code would have been void, it is tidied up, another note is written, and another code asked for.
  desk.later(60);
  await prune(desk.bridge, 90);
  desk.note('other', line);
  await desk.line();
  desk.serviceIs(true);
  await desk.claim(2);
  await desk.claim(3);
  expect(await desk.speaksAs()).toBe('mira');
  expect(desk.told()).toHaveLength(1);
  expect(await desk.saidInChat()).toEqual([{ kind: 'line' }]);
  expect(await openCodes(desk.bridge)).toHaveLength(1);
});

test('B10 a link that an operator makes or takes back while chat is being asked about the person stands', async () => {
  const { bridge, person, speaksAs } = await openDesk();
  const { db } = bridge.database;
  const read = (known: Person | undefined) => readPerson(bridge, 'T1', 'U1', known);
  await linkPerson(db, person, 'mira', 'admin');
  await read(person);
  expect(await speaksAs()).toBe('mira');
  const linked = await findPerson(bridge, 'T1', 'U1');
  await linkPerson(db, person, 'other', 'admin');
  await read(linked);
  expect(await speaksAs()).toBe('other');
  expect(await unlinkPerson(db, person)).toBe(true);
  await read(linked);
  expect(await speaksAs()).toBeNull();
  // Before their next message they are matched again.
  expect((await personOf(bridge, 'T1', 'U1')).user_id).toBe('matched');
  expect(await unlinkPerson(db, person)).toBe(false);
});
