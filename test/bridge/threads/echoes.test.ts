import { expect, test } from 'vitest';
import { z } from 'zod';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { forwardDeletion } from '../../../src/bridge/threads/forward-change.ts';
import { isEcho, parseServiceEvent } from '../../../src/bridge/entry/service-event.ts';
import { PARTS } from '../../../src/bridge/features/index.ts';
import { joinHooks } from '../../../src/bridge/hooks.ts';
import { EventContext } from '../../../src/bridge/inbox/event-context.ts';
import { planCheck } from '../../../src/bridge/entry/service-event.ts';
import { createInbox } from '../../../src/bridge/inbox/store.ts';
import { eventKey } from '../../../src/bridge/slack/ids.ts';
import { CLASSES, EVENT, MIRROR, NOTIFY, workFor, type WorkKind } from '../../../src/bridge/work.ts';
import { createLog } from '../../../src/platform/log.ts';
import { envelopes } from '../../harness/envelopes.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { bridgeEngine } from '../../harness/bridge-engine.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-01T10:00:00.000Z');
const TS = '1767261600.000100';
/** The deletion of the message with this timestamp. */
const DELETION: WorkKind<string> = { name: 'deletion', class: CLASSES.command, body: z.string() };

/** Two threads with a ticket each; a reply in the first is stored. */
async function openThreads() {
  const { database } = await bridgeDatabase(4);
  const { db } = database;
  const thread = { team_id: 'T1', channel_id: 'C1', created_at: NOW, applied_until: NOW };
  await db
    .insertInto('conversation')
    .values([
      { ...thread, id: 'cnv_1', thread_ts: '1.1', ticket_id: 'tkt_1' },
      { ...thread, id: 'cnv_2', thread_ts: '2.1', ticket_id: 'tkt_2' },
    ])
    .execute();
  await db
    .insertInto('inbox')
    .values({
      id: 'inb_1',
      source: 'chat',
      kind: 'message',
      event_key: eventKey.message({ team: 'T1', channel: 'C1', ts: TS }),
      conversation_id: 'cnv_1',
      body: '{}',
      received_at: NOW,
    })
    .execute();
  const set = (id: string, values: { applied_until?: null; role?: 'direct'; ticket_id?: string }) =>
    db.updateTable('conversation').set(values).where('id', '=', id).execute();
  return { database, db, engine: bridgeEngine(database), set };
}

/** The service's event for a message that was added to a ticket. */
const told = (ticketId: string, more: object = { chatMessages: [{ channelId: 'C1', ts: TS }] }) => ({
  type: 'Message',
  action: 'created',
  data: { id: 'msg_1', ticketId, source: 'CHAT', ...more },
});

test('B16 an echo is recognized while its message is still being processed, and only if nothing else depends on it', async () => {
  const { db, engine, set } = await openThreads();
  await engine.add(workFor(EVENT, 'cnv_1', { inbox: 'inb_1' }));
  const setState = async (state: 'waits' | 'is worked' | 'is dead') => {
    await db
      .updateTable('lane')
      // The lane of a dead letter goes on.
      .set(
        state === 'waits'
          ? { leased_by: null, leased_until: null }
          : { leased_by: 'another', leased_until: NOW },
      )
      .execute();
    await db
      .updateTable('work')
      .set({ dead_at: state === 'is dead' ? NOW : null })
      .execute();
  };
  await setState('is worked');
  const isKnown = async (body = told('tkt_1')) => {
    const forwarded = parseServiceEvent('T1', body)?.forwarded;
    return forwarded !== undefined && (await isEcho(db, forwarded));
  };
  expect(await isKnown()).toBe(true);
  // The chat message is in another ticket's thread; or the body, of another implementation, does not name
  // one.
  expect(await isKnown(told('tkt_2'))).toBe(false);
  expect(await isKnown(told('tkt_1', {}))).toBe(false);
  expect(await isKnown(told('tkt_1', { chatMessages: 'none' }))).toBe(false);
  expect(await isKnown(told('tkt_1', { chatMessages: [{ channelId: 'C2', ts: TS }] }))).toBe(false);
  // Work that failed may never create a link.
  await setState('waits');
  expect(await isKnown()).toBe(false);
  await setState('is dead');
  expect(await isKnown()).toBe(false);
  await setState('is worked');
  expect(await isKnown()).toBe(true);
  // A user reads the ticket's conversation in a direct message.
  await set('cnv_2', { role: 'direct', ticket_id: 'tkt_1' });
  expect(await isKnown()).toBe(false);
  await set('cnv_2', { ticket_id: 'tkt_2' });
  await set('cnv_1', { applied_until: null });
  expect(await isKnown()).toBe(false);
});

test('B12 a chat message that was added to the ticket before a crash, without its link, is deleted there when it is deleted in chat', async () => {
  const { database, db, engine } = await openThreads();
  const onTicket = [
    { id: 'msg_0', source: 'CHAT', chatMessages: [{ channelId: 'C1', ts: '1767261599.000100' }] },
    { id: 'msg_1', source: 'CHAT', chatMessages: [{ channelId: 'C1', ts: TS }] },
  ];
  const deleted: string[] = [];
  const storing = {
    engine,
    clock: { now: () => NOW },
    newId: (prefix: string) => `${prefix}_1`,
    envelopes,
  };
  const bridge: Bridge = {
    ...storing,
    bot: { team: 'T1' },
    database,
    log,
    inbox: createInbox({ ...storing, planCheck: (tx, changed) => planCheck(bridge, tx, changed) }),
    metrics: { eventSeconds: { observe: () => undefined } },
    noticeAfterMs: 60_000,
    get hooks() {
      return joinHooks(PARTS.map((part) => part.hooks?.(bridge) ?? {}));
    },
    channels: { workspaceIds: () => Promise.resolve(['wsp_1']) },
    service: {
      async *all() {
        yield* await Promise.resolve(onTicket.map((one) => ({ ...one, ticketId: 'tkt_1' })));
      },
      deleteTicketMessage: ({ params }: { params: { id: string } }) => {
        deleted.push(params.id);
        return Promise.resolve({ ticketId: 'tkt_1' });
      },
      readTicket: () => Promise.resolve({ id: 'tkt_1', mergedIntoId: null }),
    },
  } as unknown as Bridge;
  engine.handle(DELETION, {
    work: (work) => {
      const place = { team: 'T1', channel: 'C1', ts: work.body };
      const event = { kind: 'message-deleted' as const, key: eventKey.deletion(place), place, root: '1.1' };
      const row = { id: null, kind: event.kind, event, conversationId: 'cnv_1', receivedAt: NOW };
      return forwardDeletion(bridge, new EventContext(bridge, work, row));
    },
  });
  engine.handle(MIRROR, { work: async () => ({ outcome: 'not of this test' }) });
  await engine.start();
  const gone = async (ts: string) => {
    await engine.add(workFor(DELETION, 'cnv_1', ts));
    await engine.settled();
  };
  await gone('1767261600.000200');
  expect(deleted).toEqual([]);
  await gone(TS);
  expect(deleted).toEqual(['msg_1']);
  const links = await db
    .selectFrom('message_link')
    .select(['conversation_id', 'ticket_message_id', 'ts', 'origin', 'deleted'])
    .execute();
  const link = { conversation_id: 'cnv_1', ticket_message_id: 'msg_1', ts: TS, origin: 'chat' };
  expect(links).toEqual([{ ...link, deleted: true }]);
  // It was on the ticket, so users are notified as usual.
  const checks = await db.selectFrom('work').select('lane').where('kind', '=', NOTIFY.name).execute();
  expect(checks).toEqual([{ lane: 'notice:ticket:tkt_1' }]);
});
