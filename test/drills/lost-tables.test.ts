import pg from 'pg';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/demo.ts';
import { assertHistory } from '../harness/history-of.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

test(
  'B50 bridges that begin on empty tables restore the links before they work: one does, and nothing is doubled',
  { timeout: 180_000 },
  async () => {
    const base = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    const { service } = base;
    const sandbox = await base.beside(['sandbox']);
    const { chat } = sandbox;
    const settings = {
      SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-fault-tests',
      SLACK_API_URL: `${sandbox.urls.sandbox}/api`,
      SLACK_BOT_TOKEN: DEMO.app.botToken,
      SLACK_APP_TOKEN: DEMO.app.appToken,
      RECONCILE_EVERY_SECONDS: '2',
      CHAT_READS_PER_MINUTE: '6000',
    };
    const first = await base.beside(['bridge'], settings);
    expect(told(first, 'links.lost')).toBe(0);

    const { bot } = await chat.state();
    const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> my chair squeaks`);
    const { id } = await ticketAt(service, root);
    await chat.say(CHANNEL, 'ada', 'when I lean back', root);
    await service.createTicketMessage({ body: { ticketId: id, content: 'which chair?' } });
    const badge = await chat.say('@deskbridge', 'ada', 'my badge is lost');
    const lost = await ticketAt(service, badge.ts);
    await base.idle();
    const before = { cards: await cards(id), tickets: await tickets(), badge: await cards(lost.id) };
    expect(before.cards.length).toBeGreaterThan(0);

    await first.stop();
    await query(base, 'drop schema bridge cascade');
    // Nobody restores them by hand, and both sides go on meanwhile.
    await chat.say(CHANNEL, 'ada', 'the red one', root);
    await chat.say('@deskbridge', 'ada', 'it was in my bag');
    await service.createTicketMessage({ body: { ticketId: id, content: 'oil is on its way' } });
    const [, second] = await Promise.all([
      first.restart(),
      base.beside(['bridge'], { ...settings, PUBLIC_URL: first.urls.root }),
    ]);
    expect(told(first, 'links.restored') + told(second, 'links.restored')).toBe(1);
    const thread = ['when I lean back', 'which chair?', 'the red one', 'oil is on its way'];
    await crossed(thread);
    await until('the direct conversation to go on', async () => (await said(lost.id)).length > 0);
    await base.idle();
    expect(await said(lost.id)).toEqual(['it was in my bag']);
    const now = { cards: await cards(id), tickets: await tickets(), badge: await cards(lost.id) };
    expect(now).toEqual(before);

    // A restoring that was cut off is begun again, though some of the links are there.
    await Promise.all([first.stop(), second.stop()]);
    await query(
      base,
      `update bridge.setting set value = '"restoring"' where key = 'links';
       delete from bridge.conversation where ticket_id = '${id}'`,
    );
    await first.restart();
    expect(told(first, 'links.restored') + told(second, 'links.restored')).toBe(2);
    await chat.say(CHANNEL, 'ada', 'thank you', root);
    await crossed([...thread, 'thank you']);
    expect(await cards(id)).toEqual(before.cards);
    await first.stop();
    await first.restart();
    expect(told(first, 'links.lost') + told(second, 'links.lost')).toBe(2);
    await base.idle();
    await assertHistory({ ...base, chat, replicas: true });

    /** Waits until it has all come, and then until no more can come; a webhook may still wait to be delivered again. */
    async function crossed(words: readonly string[]): Promise<void> {
      const both = async () => [(await said(id)).length, (await shown()).length];
      await until('all to cross', async () => (await both()).every((count) => count >= words.length), {
        withinMs: 60_000,
        seen: both,
      });
      await base.idle();
      expect(await said(id)).toEqual(words);
      expect(await shown()).toEqual([...words].sort());
    }

    async function cards(ticket: string): Promise<string[]> {
      const all = [
        ...(await chat.messages(CHANNEL)),
        ...(await chat.messages('it-triage')),
        ...(await chat.messages('@deskbridge', 'ada')),
      ];
      return all
        .filter(({ metadata }) => metadata?.event_payload['card'] === ticket)
        .map(({ channel, ts }) => `${channel} ${ts}`)
        .sort();
    }

    async function tickets(): Promise<number> {
      return (await service.listTickets({ query: { limit: 1 } })).totalCount;
    }

    async function said(ticketId: string): Promise<string[]> {
      return (await service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);
    }

    async function shown(): Promise<string[]> {
      const replies = await chat.thread(CHANNEL, root);
      return replies
        .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
        .map(({ text }) => text)
        .sort();
    }
  },
);

/** How often a program has logged it. */
function told({ log }: World, event: string): number {
  return log.filter((line) => line['event'] === event).length;
}

async function query({ environment }: World, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
