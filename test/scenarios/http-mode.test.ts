import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { EVENTS_PATH } from '../../src/bridge/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { signSlack } from '../../src/platform/signatures.ts';
import { ticketAt } from '../harness/ticket.ts';
import { makeDue } from '../harness/make-due.ts';
import { until } from '../harness/until.ts';
import { runCommand } from '../harness/run-command.ts';
import { type LocalWorld, startWorld, type World } from '../harness/world.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const CHANNEL = 'it-help';

/** Service, sandbox and bridge in separate processes; the sandbox posts to the bridge. */
async function startApart(): Promise<{ base: World; sandbox: World; bridge: World }> {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const sandbox = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(['bridge'], {
    ...bridgeSettings(sandbox.urls.sandbox, 'http'),
    // Only repeated events shall bring it: a comparison would find it, too.
    RECONCILE_EVERY_SECONDS: '3600',
  });
  await sandbox.chat.post('app', { requestUrl: `${bridge.urls.root}${EVENTS_PATH}` });
  return { base, sandbox, bridge };
}

/** Sends a request as Slack signs it. */
async function sendSigned({ urls, clock }: LocalWorld, type: string, body: string): Promise<Response> {
  const timestamp = String(Math.floor(clock.now().getTime() / 1000));
  return fetch(`${urls.root}${EVENTS_PATH}`, {
    method: 'POST',
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signSlack(timestamp, Buffer.from(body), DEMO.app.signingSecret),
    },
    body,
  });
}

test('B46 by signed HTTP, messages sent while the bridge is down cross once when Slack repeats their events', async () => {
  const { base, sandbox, bridge } = await startApart();
  const { chat } = sandbox;
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> the printer is on fire`);
  const card = await until('the card', async () =>
    (await chat.thread(CHANNEL, root.ts)).find((message) => message.bot_id),
  );
  const [code = ''] = /IT-\d+/.exec(card.text) ?? [];

  await bridge.stop();
  for (let n = 1; n <= 3; n++) await chat.say(CHANNEL, 'ada', `still burning ${n}`, root.ts);
  await chat.command(CHANNEL, 'mira', `status ${code} done`);
  expect((await chat.ephemeral(CHANNEL, 'mira'))?.text).toContain('dispatch_failed');
  await bridge.restart();
  // The second repetition is due a minute after the first, and a third would follow.
  await chat.post('clock', { advance: 61_000 });

  const contents = async () =>
    (await base.service.listTicketMessages({ query: { ticketId: code } })).items.map(
      ({ content }) => content,
    );
  await until('all messages on the ticket', async () => (await contents()).length >= 3, { seen: contents });
  await bridge.untilIdle();
  // Slack repeats the three concurrently.
  expect((await contents()).sort()).toEqual(['still burning 1', 'still burning 2', 'still burning 3']);
  expect((await base.service.readTicket({ params: { id: code } })).status.label).not.toBe('Done');
  const stored = bridge.log.filter(({ event, retry }) => event === 'inbox.stored' && Number(retry) > 0);
  expect(stored.length).toBeGreaterThanOrEqual(3);
});

test('the request URL only accepts requests of Slack', async () => {
  const { base, bridge } = await startApart();
  const before = await base.service.listTickets({ query: {} });
  const event = {
    type: 'event_callback',
    team_id: DEMO.team.id,
    event_id: 'Ev1',
    event: {
      type: 'message',
      channel: DEMO.channels.itHelp.id,
      user: DEMO.people.ada.id,
      text: 'x',
      ts: '1.2',
    },
  };
  for (const headers of [
    {},
    { 'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)), 'x-slack-signature': 'v0=00' },
  ]) {
    const answer = await fetch(`${bridge.urls.root}${EVENTS_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(event),
    });
    expect(answer.status).toBe(401);
  }
  expect((await base.service.listTickets({ query: {} })).items).toHaveLength(before.items.length);
  expect(bridge.log.filter(({ event: what }) => what === 'chat.refused')).toHaveLength(2);
});

test('B50 events that Slack leaves out in a minute of app_rate_limited are found after that minute', async () => {
  const seldom = { RECONCILE_EVERY_SECONDS: '3600', CHAT_READS_PER_MINUTE: '6000' };
  const world = await startWorld({ SANDBOX_TRANSPORT: 'http', ...seldom });
  const { chat, service, clock } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the printer prints twice`);
  const { id } = await ticketAt(service, root);
  await world.untilIdle();
  await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
  await chat.say(CHANNEL, 'ada', 'now four times', root);
  const lost = await chat.say(CHANNEL, 'ben', `<@${bot}> mine, too`);
  await chat.post('faults', { clear: true });
  const limited = JSON.stringify({
    type: 'app_rate_limited',
    team_id: DEMO.team.id,
    api_app_id: DEMO.app.id,
    minute_rate_limited: Math.floor(clock.now().getTime() / 60_000) * 60,
  });
  const answer = await sendSigned(world, 'application/json', limited);
  expect(answer.status).toBe(200);

  // The minute, and half a minute for messages at its end.
  clock.pass(90_000);
  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  expect(await makeDue(database, `kind = 'reconcile' and body ->> 'part' = 'all'`)).toBe(1);
  const said = async () =>
    (await service.listTicketMessages({ query: { ticketId: id } })).items.map(({ content }) => content);
  await until('the reply', async () => (await said()).join() === 'now four times', { seen: said });
  expect((await ticketAt(service, lost.ts)).title).toContain('mine, too');
});

test('B47 an interaction that cannot be read tells its person so, keeps their window open, and is a dead letter', async () => {
  const world = await startWorld({ SANDBOX_TRANSPORT: 'http' });
  const submission = {
    type: 'view_submission',
    team: { id: DEMO.team.id },
    user: DEMO.people.ada.id,
    trigger_id: '1.2.3',
    view: { id: 'V1', callback_id: 'new_ticket_form', blocks: [{ type: 'input', block_id: 'title' }] },
  };
  const payload = new URLSearchParams({ payload: JSON.stringify(submission) }).toString();
  for (let time = 0; time < 2; time++) {
    const answer = await sendSigned(world, 'application/x-www-form-urlencoded', payload);
    expect(await answer.json()).toMatchObject({
      response_action: 'errors',
      errors: { title: expect.stringContaining('could not be read') as string },
    });
  }
  const list = async () => (await runCommand(['dead-letters', 'list'], world.environment)).out;
  const seen = await until('the dead letter', async () => {
    const out = await list();
    return out.includes('cannot read') && out;
  });
  expect(seen.match(/cannot read/g)).toHaveLength(1);
  await runCommand(['dead-letters', 'discard', 'all'], world.environment);
  expect(await list()).not.toContain('cannot read');
});
