import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { codeIn, rowsUnder } from '../docs/documents.ts';
import { ENCRYPTION_KEY } from '../harness/programs.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const TYPES = new Set(['counter', 'gauge', 'histogram']);

/** A ticket by mention, messages both ways, a command, and a post whose response is lost. */
async function story(world: World, words: readonly string[]): Promise<string> {
  const { chat, service } = world;
  const [title = '', reply = '', answer = '', note = '', edited = '', sought = ''] = words;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${title}`);
  const { id } = await ticketAt(service, ts);
  await world.untilIdle();
  const { ts: said } = await chat.say(CHANNEL, 'ben', reply, ts);
  await chat.edit(CHANNEL, 'ben', said, edited);
  await chat.post('faults', { faults: [{ method: 'chat.postMessage', kind: 'answer_lost', times: 1 }] });
  await service.createTicketMessage({ body: { ticketId: id, content: answer } });
  await service.createTicketMessage({ body: { ticketId: id, content: note, private: true } });
  await chat.command(CHANNEL, 'ada', `search ${sought}`);
  await world.untilIdle();
  return id;
}

interface Shown {
  kind: string;
  labels: string[];
}

/** Our own metrics in `/metrics`, with all of their labels. */
async function figuresOf({ urls }: World): Promise<Map<string, Shown>> {
  const text = await (await fetch(`${urls.root}/metrics`)).text();
  const figures = new Map<string, Shown>();
  for (const [, name = '', kind = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (/^(process|nodejs)_/.test(name)) continue;
    const lines = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'))];
    const labels = lines.flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label),
    );
    figures.set(name, {
      kind,
      labels: [...new Set(labels)].filter((label) => label !== 'le').sort() as string[],
    });
  }
  return figures;
}

function documented(): Map<string, Shown> {
  const rows = ['Bridge metrics', 'Service metrics', 'Process metrics'].flatMap((heading) =>
    rowsUnder('docs/operate.md', heading),
  );
  return new Map(
    rows.map(([name = '', kind = '', labels = '']) => [
      codeIn(name),
      { kind, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort() },
    ]),
  );
}

/** Log lines of events that do not happen in this world; other tests cover them. */
const HAPPENS_ELSEWHERE = new Set(['reconcile.found', 'webhook.not-taken', 'answer.settled']);

describe('metrics and logs', () => {
  test('every metric is documented with its kind and labels, and no others are; no label contains an id', async () => {
    const world = await startWorld({ HEALTH_EVERY_SECONDS: '1' });
    await story(world, ['a printer', 'it burns', 'use water', 'careful', 'it burns!', 'printer']);
    await until('a look at the health', async () =>
      /bridge_check\{/.test(await (await fetch(`${world.urls.root}/metrics`)).text()),
    );
    const figures = await figuresOf(world);
    const table = documented();
    expect([...figures.keys()].sort()).toEqual([...table.keys()].sort());
    for (const [name, { kind, labels }] of figures) {
      expect(TYPES.has(kind)).toBe(true);
      expect({ name, kind }).toEqual({ name, kind: table.get(name)?.kind });
      if (labels.length > 0) expect({ name, labels }).toEqual({ name, labels: table.get(name)?.labels });
    }
    const text = await (await fetch(`${world.urls.root}/metrics`)).text();
    for (const counted of [
      /bridge_events_total\{source="chat",kind="message",stored="new",retry="no"\} \d/,
      /bridge_acks_total\{type="events_api",outcome="acked"\} \d/,
      /bridge_posts_total\{kind="post",outcome="found"\} 1/,
      /bridge_uncertain_total\{found="yes"\} 1/,
      /bridge_retries_total\{queue="chat",reason="chat"\} 1/,
      /bridge_chat_call_seconds_count\{method="chat.postMessage"\} \d/,
      /bridge_event_seconds_count\{kind="message"\} \d/,
      /bridge_jobs_oldest_seconds\{queue="conversation"\} 0/,
      /bridge_drift \d/,
      /bridge_chat_connected 1/,
      /webhook_delivery_attempts_total\{outcome="delivered"\} \d/,
    ])
      expect(text).toMatch(counted);
    expect(text).not.toMatch(/[{,]\w+="[^"]*(C0ITHELP00|U0ADAREYES|T0DESKBRDG|tkt_|\d{10}\.\d{6})/);
  });

  test('at the highest log level, no log line contains a secret or a user’s text, nor does the output of commands', async () => {
    const webhookSecret = 'planted-webhook-secret-2e7a-long-enough';
    // The key that sealed the demo's database follows the current one.
    const sealing = [Buffer.from('planted-encryption-key-32-bytes!').toString('base64'), ENCRYPTION_KEY];
    const world = await startWorld({
      SERVICE_WEBHOOK_SECRET: webhookSecret,
      TOKEN_ENCRYPTION_KEY: sealing.join(','),
      LOG_LEVEL: 'trace',
      HEALTH_EVERY_SECONDS: '1',
    });
    const words = ['zanzibar', 'quokka', 'marzipan', 'obsidian', 'tamarind', 'kumquat'].map(
      (word) => `${word}-planted`,
    );
    const ticketId = await story(world, words);
    // A dead letter shows its reason without its text.
    await world.chat.post('faults', {
      faults: [{ method: 'chat.postMessage', kind: 'error', error: 'restricted_action', times: 1 }],
    });
    await world.service.createTicketMessage({ body: { ticketId, content: 'vermilion-planted' } });
    await world.untilIdle();
    await until('the notice of the dead letter', async () =>
      world.log.some(({ event }) => event === 'health.changed'),
    );
    const printed = [
      await runCommand(['doctor'], world.environment),
      await runCommand(['dead-letters', 'list'], world.environment),
    ];
    expect(printed[1]?.out).toContain('1 dead letters.');
    const output = [
      ...world.log.map((line) => JSON.stringify(line)),
      ...printed.map(({ out, err }) => out + err),
    ];
    const told = [
      ...words,
      'vermilion-planted',
      webhookSecret,
      ...sealing,
      world.apiKey,
      DEMO.app.botToken,
      DEMO.app.appToken,
      DEMO.app.signingSecret,
    ].filter((secret) => output.some((line) => line.includes(secret)));
    expect(told).toEqual([]);
    const pathOf = /\/webhooks\/service\/[\w-]{8,}/;
    expect(output.filter((line) => pathOf.test(line))).toEqual([]);
    // The log level was the highest: each of the representative lines is there, with its fields.
    for (const [event = '', , fields = ''] of rowsUnder('docs/operate.md', 'Log lines')) {
      const name = codeIn(event);
      const line = world.log.find((entry) => entry.event === name);
      if (HAPPENS_ELSEWHERE.has(name)) continue;
      const named = [...fields.matchAll(/`(\w+)`/g)].map(([, field = '']) => field);
      expect({ name, missing: named.filter((field) => !(field in (line ?? {}))) }).toEqual({
        name,
        missing: [],
      });
    }
  });
});
