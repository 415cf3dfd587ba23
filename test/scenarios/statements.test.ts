import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { Statements, tally } from '../harness/statements.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
/** No comparison runs in this time, and notifications about the ticket come later, once for many answers. */
const world = sharedWorld({ RECONCILE_EVERY_SECONDS: '3600', CHAT_NOTICE_SECONDS: '3600' });
const ANSWERS = 4;
/**
 * The limit of statements for one answer from the ticket to its thread, with all that follows; polling for
 * jobs is not counted. The service stores a message in a plain transaction, a statement for each step, and writes its
 * words to the search index with it.
 */
const MOST = { bridge: 12, service: 20 };

/** The same for one message from a thread to its ticket. What the service runs is mostly this test's own look-ups. */
const MOST_FROM_CHAT = { bridge: 2, service: Infinity };

test('an answer takes few statements from its ticket to its thread, and a message from its thread to its ticket', async () => {
  world.skipComparison('what people are told of waits for an hour');
  const { chat, service } = world;
  const statements = new Statements();
  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(async () => {
    statements.end();
    await database.end();
  });
  const isDone = async () => {
    const { rowCount } = await database.query(`
      select from bridge.job where queue in ('conversation', 'command', 'chat') and state <> 'dead'
      union all select from service.job where state <> 'dead'`);
    return rowCount === 0;
  };
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${(await chat.state()).bot}> it does not start`);
  const { id: ticketId } = await ticketAt(service, root);
  const answer = async (content: string) => {
    await service.createTicketMessage({ body: { ticketId, content } });
    await until('the answer in its thread', async () =>
      (await chat.thread(CHANNEL, root)).some(({ text }) => text === content),
    );
    // The end of a job may have started work in the other module.
    await until('all that follows', async () => (await isDone()) && (await isDone()));
  };
  const message = async (content: string) => {
    await chat.say(CHANNEL, 'ada', content, root);
    await until('the message on its ticket', async () => {
      const { items } = await service.listTicketMessages({ query: { ticketId } });
      return items.some((each) => each.content === content);
    });
    await until('all that follows', async () => (await isDone()) && (await isDone()));
  };
  const fewest = async (what: string, send: (content: string) => Promise<void>, most: typeof MOST) => {
    for (const content of ['prepared', 'by each', 'connection']) await send(`${what} ${content}`);
    const sent: Record<keyof typeof MOST, string[][]> = { bridge: [], service: [] };
    for (let n = 0; n < ANSWERS; n++) {
      statements.begin();
      await send(`${what} ${n}`);
      for (const module of ['bridge', 'service'] as const) sent[module].push(statements.of(module));
    }
    for (const module of ['bridge', 'service'] as const) {
      // Periodic statements occur next to most of them, but not all.
      const [least = []] = sent[module].toSorted((a, b) => a.length - b.length);
      expect(least.length, `${what}, ${tally(least)}`).toBeLessThanOrEqual(most[module]);
    }
  };
  await fewest('answer', answer, MOST);
  await fewest('message', message, MOST_FROM_CHAT);
});
