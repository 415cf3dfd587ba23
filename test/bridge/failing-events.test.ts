import { expect, test } from 'vitest';

import { limitFailures } from '../../src/bridge/entry/failing-events.ts';
import { ChatError } from '../../src/bridge/slack/errors.ts';
import { AnsweredError, UnreachableError } from '../../src/client/index.ts';
import { GiveUp, RetryLater } from '../../src/platform/engine/index.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';

const NOW = new Date('2026-01-01T10:00:00.000Z');
const POSTS_ARE_TRIED = 12;
const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
const answered = (status: number) =>
  new AnsweredError(
    'POST /ticket-messages',
    status,
    { code: null, message: null, issues: [], conflict: null, requestId: null },
    undefined,
  );

interface Other {
  /** Minutes after the failing event came in. */
  after: number;
  crossed: 'reply' | 'opening' | 'not';
  conversation?: string;
}

interface Facts {
  error: Error;
  /** How often it fails in a row before the attempt that counts. */
  before: number;
  opens: boolean;
  others: Other[];
}

/** Returns what becomes of an event that failed some minutes after it came in. */
async function outcomeOf({ error, before, opens, others }: Facts): Promise<unknown> {
  const { database } = await bridgeDatabase(2);
  const { db } = database;
  const addConversation = async (id: string, ticket: string | null, ts: string) =>
    db
      .insertInto('conversation')
      .values({
        id,
        team_id: 'T1',
        channel_id: 'C1',
        thread_ts: ts,
        ticket_id: ticket,
        description_ts: ticket === null ? null : ts,
        active_at: NOW,
        created_at: NOW,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const addEvent = async (id: string, conversation: string, ts: string, minutes: number, done: boolean) =>
    db
      .insertInto('inbox')
      .values({
        id,
        source: 'chat',
        kind: 'message',
        event_key: `message:T1:C1:${ts}:new`,
        conversation_id: conversation,
        body: '{}',
        received_at: at(minutes),
        ...(done && { done_at: at(minutes) }),
      })
      .execute();
  await addConversation('cnv_own', opens ? null : 'tkt_own', '1.0');
  await addEvent('inb_own', 'cnv_own', '1.5', 0, false);
  for (const [n, { after, crossed, conversation = 'cnv_other' }] of others.entries()) {
    await addConversation(conversation, 'tkt_other', '2.0');
    const ts = crossed === 'opening' ? '2.0' : `2.${n + 1}`;
    await addEvent(`inb_${n}`, conversation, ts, after, true);
    if (crossed === 'reply')
      await db
        .insertInto('message_link')
        .values({
          id: `lnk_${n}`,
          conversation_id: conversation,
          ticket_message_id: `msg_${n}`,
          team_id: 'T1',
          channel_id: 'C1',
          ts,
          origin: 'chat',
          version: null,
        })
        .execute();
  }
  const limited = limitFailures({ database, clock: { now: () => at(5) } });
  const fail = (reason: Error) =>
    limited({ id: 1, body: { inbox: 'inb_own' } }, () => Promise.reject(reason)).catch(
      (thrown: unknown) => thrown,
    );
  for (let time = 1; time <= before; time++) expect(await fail(answered(500))).toBeInstanceOf(AnsweredError);
  return fail(error);
}

const REPLY: Other = { after: 1, crossed: 'reply' };
const OPENING: Other = { after: 1, crossed: 'opening' };

test.each<[string, Partial<Facts>, boolean]>([
  ['the service fails at it, and takes a reply to another ticket', {}, true],
  [
    'also if what is thrown names the answer as its cause',
    { error: new RetryLater('the ticket cannot be read', { cause: answered(500) }) },
    true,
  ],
  ['it was tried less often than a post', { before: POSTS_ARE_TRIED - 2 }, false],
  ['nothing else has crossed: the service may be down', { others: [] }, false],
  ['what came since did not need the service', { others: [{ after: 1, crossed: 'not' }] }, false],
  ['another message crossed before it came', { others: [{ after: -1, crossed: 'reply' }] }, false],
  [
    'only its own conversation went on',
    { others: [{ after: 1, crossed: 'reply', conversation: 'cnv_own' }] },
    false,
  ],
  ['it is to open a ticket, and another one was opened', { opens: true, others: [OPENING] }, true],
  ['it is to open a ticket, and only replies cross', { opens: true, others: [REPLY] }, false],
  ['it is a reply, and only tickets are opened', { others: [OPENING] }, false],
  ['the service is being repaired', { error: answered(503) }, false],
  ['something in front of the service fails', { error: answered(502) }, false],
  ['the service is away', { error: new UnreachableError('a call', true, undefined) }, false],
  ['Slack fails', { error: new ChatError('x', { next: 'retry', certain: true }) }, false],
])('B49 an event is given up, or not: %s', async (_, facts, isGivenUp) => {
  const failing = { error: answered(500), before: POSTS_ARE_TRIED - 1, opens: false, others: [REPLY] };
  const outcome = await outcomeOf({ ...failing, ...facts });
  expect(outcome instanceof GiveUp).toBe(isGivenUp);
  if (outcome instanceof GiveUp) expect(outcome.code).toBe('500');
});
