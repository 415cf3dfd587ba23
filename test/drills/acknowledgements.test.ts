import { expect, test } from 'vitest';

import { STILL_WORKING } from '../../src/bridge/inbox/answer-in-time.ts';
import { EVENTS_PATH } from '../../src/bridge/index.ts';
import { assertHistory } from '../harness/history-of.ts';
import { delayedBy, startTap } from '../harness/tap.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess, type World } from '../harness/world.ts';
import { LONG } from './drill.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const CHANNEL = 'it-help';
/** Requests per kind; many for meaningful figures. */
const OF_EACH = LONG ? 125 : 2;

interface Delivery {
  delivery: number;
  type: string;
  event?: string;
  state: string;
  attempts: unknown[];
  ack_ms?: number;
  reason?: string;
}

/** Chat's deliveries to the bridge. The sandbox's log keeps the latest entries only, so `look` is called as they come. */
class Deliveries {
  readonly #url: string;
  readonly #seen = new Map<number, Delivery>();

  constructor({ urls }: World) {
    this.#url = `${urls.sandbox}/_control/deliveries?limit=2000`;
  }

  async look(): Promise<void> {
    const answer = await fetch(this.#url);
    for (const one of ((await answer.json()) as { deliveries: Delivery[] }).deliveries) {
      const known = this.#seen.get(one.delivery);
      // Of one that has ended, the log may have lost the beginning since.
      if (!known || known.state === 'waiting') this.#seen.set(one.delivery, one);
    }
  }

  /** Those that were looked at and came after the given one. */
  after(last: number): Delivery[] {
    return [...this.#seen.values()].filter(({ delivery }) => delivery > last);
  }
}

test.each(['socket', 'http'] as const)(
  'B34 B46 while the service takes five seconds for each response, everything that Slack sends by %s is acknowledged at its first delivery, waiting users are told so, and all of it is processed',
  async (transport) => {
    const base = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    const pace = { ms: 0 };
    const api = await startTap('service', base.urls.root, delayedBy(pace));
    const sandbox = await base.startAlongside(['sandbox']);
    const bridge = await base.startAlongside(['bridge'], {
      SERVICE_URL: `${api.url}/api`,
      ...bridgeSettings(sandbox.urls.sandbox, transport),
      RECONCILE_EVERY_SECONDS: '3600',
    });
    if (transport === 'http')
      await sandbox.chat.post('app', { requestUrl: `${bridge.urls.root}${EVENTS_PATH}` });
    const { chat } = sandbox;
    const { bot } = await chat.state();

    const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the printer is slow`);
    const ticket = await ticketAt(base.service, root);
    await bridge.untilIdle();
    const card = (await chat.thread(CHANNEL, root)).find(
      ({ metadata }) => metadata?.event_payload['card'] !== undefined,
    );
    const deliveries = new Deliveries(sandbox);
    await deliveries.look();
    const before = Math.max(0, ...deliveries.after(0).map(({ delivery }) => delivery));

    pace.ms = 5_000;
    for (let n = 1; n <= OF_EACH; n++) {
      const { ts } = await chat.say(CHANNEL, 'ada', `reply ${n}`, root);
      await chat.edit(CHANNEL, 'ada', ts, `reply ${n}, put better`);
      await chat.react(CHANNEL, 'ben', ts, 'eyes');
      await chat.command(CHANNEL, 'ben', 'search printer');
      await chat.post('interact', {
        user: 'mira',
        channel: card?.channel,
        messageTs: card?.ts,
        action: 'card_manage',
      });
      await chat.post('shortcut', {
        user: 'ben',
        callbackId: 'create_ticket',
        channel: CHANNEL,
        messageTs: root,
      });
      await base.service.createTicketMessage({ body: { ticketId: ticket.id, content: `answer ${n}` } });
      await deliveries.look();
    }
    // Waiting users are told so at once, and a modal opens before the service has responded (B34).
    const whispers = async () => (await chat.messages(CHANNEL, 'ben')).filter((one) => one.ephemeralFor);
    await until(
      'a word that it takes longer',
      async () => (await whispers()).some(({ text }) => text === STILL_WORKING),
      { seen: whispers },
    );
    const views = await fetch(`${sandbox.urls.sandbox}/_control/views/mira`);
    expect(((await views.json()) as { stack: unknown[] }).stack.length).toBeGreaterThan(0);
    const told = await until(
      'everything to be acknowledged or given up',
      async () => {
        await deliveries.look();
        const all = deliveries.after(before);
        return all.length >= OF_EACH * 6 && all.every(({ state }) => state !== 'waiting') && all;
      },
      { seen: async () => deliveries.after(before) },
    );
    const late = told.filter(({ state, attempts }) => state !== 'acked' || attempts.length > 1);
    expect(late).toEqual([]);

    pace.ms = 0;
    await bridge.untilIdle();
    const replies: string[] = [];
    for await (const { content } of base.service.all('listTicketMessages', {
      query: { ticketId: ticket.id },
    }))
      if (content.startsWith('reply')) replies.push(content);
    expect(replies).toEqual(Array.from({ length: OF_EACH }, (_, at) => `reply ${at + 1}, put better`));
    const answers = (await chat.thread(CHANNEL, root)).filter(({ text }) => text.startsWith('answer'));
    expect(answers.map(({ text }) => text)).toEqual(
      Array.from({ length: OF_EACH }, (_, at) => `answer ${at + 1}`),
    );

    await assertHistory({ ...base, chat });

    const times = new Map<string, number[]>();
    for (const { type, event, ack_ms } of told)
      times.set(event ?? type, [...(times.get(event ?? type) ?? []), ack_ms ?? 0]);
    times.set('webhook', await webhookTimes(base));
    console.info(
      `acknowledgements by ${transport}, the service taking five seconds:\n${[...times].map(figures).join('\n')}`,
    );
  },
);

/** The milliseconds that the bridge took for each webhook request. */
async function webhookTimes({ service }: World): Promise<number[]> {
  const { items: webhooks } = await service.listWebhooks({ query: {} });
  const times: number[] = [];
  for (const { id } of webhooks) {
    const { items } = await service.listDeliveries({ params: { id }, query: { limit: 1_000 } });
    for (const { attempts } of items) times.push(...attempts.map(({ durationMs }) => durationMs));
  }
  return times;
}

function figures([kind, times]: [string, number[]]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return `${kind}: ${sorted.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}
