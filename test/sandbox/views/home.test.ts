import type { HomeView } from '@slack/web-api';
import { expect, test } from 'vitest';

import { ADA, BEN, boltApp, BOT, Mailbox, openSandbox, SEED, webClient } from '../open-sandbox.ts';
import { page, refusal, stage } from './open-modal.ts';
import { sandboxFile } from '../sandbox-file.ts';

const home = (words: string, more: Partial<HomeView> = {}): HomeView => ({
  type: 'home',
  blocks: [{ type: 'header', block_id: 'top', text: { type: 'plain_text', text: words } }],
  ...more,
});

interface Opened {
  tab: string;
  channel: string;
  user: string;
  event_ts: string;
  view?: { id: string; hash: string };
}

/** A stage whose app stores `app_home_opened`. */
async function listening() {
  const opened = new Mailbox<Opened>();
  const staged = await stage((app) => {
    app.event('app_home_opened', async ({ event }) => opened.put(event as unknown as Opened));
  });
  return { ...staged, opened };
}

test('each person has their own Home, with the fields of Slack', async () => {
  const { client, sandbox } = await stage();
  const first = await client.views.publish({ user_id: ADA, view: home('Ada') });
  await client.views.publish({ user_id: BEN, view: home('Ben', { private_metadata: 'for ben' }) });
  expect(first.view).toMatchObject({
    type: 'home',
    team_id: SEED.team.id,
    title: { text: 'View Title' },
    close: null,
    submit: null,
    private_metadata: '',
    root_view_id: first.view?.id,
    previous_view_id: null,
    app_id: SEED.app.id,
    bot_id: SEED.app.botId,
  });
  expect(sandbox.control.views('ada').home).toMatchObject({ id: first.view?.id, user: ADA });
  expect(sandbox.control.views('ben').home).toMatchObject({ private_metadata: 'for ben', user: BEN });
});

test('publishing again keeps the id and changes the hash; with an old hash it is hash_conflict', async () => {
  const { client, sandbox } = await stage();
  const { view: first } = await client.views.publish({ user_id: ADA, view: home('1') });
  const hash = first?.hash ?? '';
  const { view: second } = await client.views.publish({ user_id: ADA, view: home('2'), hash });
  expect(second).toMatchObject({ id: first?.id });
  expect(second?.hash).not.toBe(hash);
  expect(await refusal(client.views.publish({ user_id: ADA, view: home('3'), hash }))).toMatchObject({
    error: 'hash_conflict',
  });
  expect(sandbox.control.views('ada').home?.blocks).toMatchObject([{ text: { text: '2' } }]);
});

test('a Home is published to a person of the workspace, and cannot be a modal', async () => {
  const { client } = await stage();
  for (const user_id of ['U0NOBODY', BOT])
    expect(await refusal(client.views.publish({ user_id, view: home('?') }))).toEqual({
      error: 'invalid_arguments',
      messages: ['invalid `user_id`'],
    });
  expect(await refusal(client.views.publish({ user_id: ADA, view: page('modal') }))).toMatchObject({
    error: 'invalid_arguments',
  });
});

test('opening the App Home sends the tab to the app, and on the Home tab the current view', async () => {
  const { client, sandbox, opened } = await listening();
  const before = await sandbox.control.openHome({ user: 'ada' });
  const { view } = await client.views.publish({ user_id: ADA, view: home('Hello') });
  const after = await sandbox.control.openHome({ user: 'ada', tab: 'home' });
  await sandbox.control.openHome({ user: 'ada', tab: 'messages' });
  const events = await opened.first(3);
  expect(events).toMatchObject([
    { type: 'app_home_opened', user: ADA, channel: before.channel, tab: 'home' },
    { tab: 'home', view: { id: view?.id, hash: view?.hash, type: 'home', app_id: SEED.app.id } },
    { tab: 'messages', channel: before.channel },
  ]);
  expect(events[0]).not.toHaveProperty('view');
  expect(events[2]).not.toHaveProperty('view');
  expect([before.home, after.home?.id]).toEqual([null, view?.id]);
  expect(new Set(events.map(({ event_ts }) => event_ts)).size).toBe(3);
});

test('the Messages tab shows the direct messages of the person and the app', async () => {
  const { client, sandbox } = await stage();
  const { channel } = await sandbox.control.openHome({ user: 'ada', tab: 'messages' });
  await client.chat.postMessage({ channel: ADA, text: 'hello' });
  expect(await sandbox.control.messages(channel)).toMatchObject([{ text: 'hello', channel }]);
});

test('a button press in the Home has the view and lets the app open a modal', async () => {
  const bodies = new Mailbox<unknown>();
  const { client, sandbox } = await stage((app) => {
    app.action('next', async ({ ack, body, client }) => {
      await ack();
      bodies.put(body);
      if ('trigger_id' in body)
        await client.views.open({ trigger_id: body.trigger_id, view: page('from Home') });
    });
  });
  const { view } = await client.views.publish({ user_id: ADA, view: home('', { blocks: page('').blocks }) });
  const since = sandbox.control.mark();
  await sandbox.control.interact({ user: 'ada', viewId: view?.id, action: 'next' });
  await sandbox.control.waitFor('view', ({ change }) => change === 'opened', { since });
  const [body] = await bodies.first(1);
  expect(body).toMatchObject({
    type: 'block_actions',
    container: { type: 'view', view_id: view?.id },
    view: { id: view?.id, type: 'home', hash: view?.hash },
    actions: [{ action_id: 'next' }],
  });
  expect(sandbox.control.views('ada').stack).toMatchObject([{ title: { text: 'from Home' } }]);
  await expect(sandbox.control.interact({ user: 'ben', viewId: view?.id, action: 'next' })).rejects.toThrow(
    'no modal is open before "ben"',
  );
});

test('a Home survives a restart with its id, hash and generated ids; a reset removes it', async () => {
  const file = sandboxFile();
  const first = await openSandbox({ file });
  const blocks = page('').blocks.map(({ block_id: _id, ...block }) => block);
  const { view } = await webClient(first).views.publish({ user_id: ADA, view: home('', { blocks }) });
  const before = first.control.views('ada').home;
  await first.stop();
  const second = await openSandbox({ file });
  expect(second.control.views('ada').home).toEqual(before);
  const again = { user_id: ADA, view: home('2'), hash: view?.hash ?? '' };
  expect((await webClient(second).views.publish(again)).view?.id).toBe(view?.id);
  await second.control.reset();
  expect(second.control.views('ada').home).toBeNull();
});

test('the control API opens the Home, shows views, submits and closes over HTTP', async () => {
  const { sandbox, open } = await stage((app) => {
    app.view('form', async ({ ack }) => ack());
    app.event('app_home_opened', async () => undefined);
  });
  const post = async (name: string, body: object) => {
    const response = await fetch(`${sandbox.url}/_control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()] as const;
  };
  expect(await post('open-home', { user: 'ada', tab: 'home' })).toMatchObject([200, { home: null }]);
  const id = await open(page('1'));
  const shown = await fetch(`${sandbox.url}/_control/views/ada`);
  expect(await shown.json()).toMatchObject({ stack: [{ id, user: ADA }], home: null });
  expect(await post('submit-view', { user: 'ada' })).toMatchObject([
    400,
    { error: expect.any(String) as string },
  ]);
  expect(await post('interact', { user: 'ada', viewId: id, action: 'other' })).toMatchObject([400, {}]);
  expect(await post('suggest', { user: 'ada', viewId: id, actionId: 'next' })).toMatchObject([400, {}]);
  expect(await post('close-view', { user: 'ada' })).toMatchObject([200, { closed: [id] }]);
});

test('a Home published twice at once ends as one of the two, also in the database', async () => {
  const file = sandboxFile();
  const first = await openSandbox({ file });
  await boltApp(first);
  const client = webClient(first);
  await Promise.all(
    ['1', '2', '3', '4'].map((words) => client.views.publish({ user_id: ADA, view: home(words) })),
  );
  const before = first.control.views('ada').home;
  await first.stop();
  const second = await openSandbox({ file });
  expect(second.control.views('ada').home).toEqual(before);
});
