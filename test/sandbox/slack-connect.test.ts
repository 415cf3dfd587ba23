import type { App } from '@slack/bolt';
import { describe, expect, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { ADA, BOT, boltApp, HELP, Mailbox, openSandbox, SEED, webClient } from './open-sandbox.ts';

const PARTNER = 'T0PARTNER';
const OURS = SEED.team.id;

/** The fields of an event's outer body that name its workspaces. */
interface Body {
  team_id: string;
  context_team_id?: string;
  authorizations?: { team_id: string | null }[];
  is_ext_shared_channel?: boolean;
  event: { type: string; subtype?: string; team?: string };
}

/** A workspace with Vera of another organisation in the channel, which her organisation or ours hosts. */
async function openShared({ hostedByThem = false, setUp = (_app: App): void => undefined } = {}) {
  const sandbox = await openSandbox();
  const bodies = new Mailbox<Body>();
  await boltApp(sandbox, (app) => {
    app.use(async ({ body, next }) => {
      if ('event' in body) bodies.put(body as Body);
      await next();
    });
    setUp(app);
  });
  const { user: vera } = await sandbox.control.addPerson({
    name: 'vera',
    firstName: 'Vera',
    teamId: PARTNER,
  });
  await sandbox.control.share({ channel: 'it-help', with: PARTNER, hostedByThem });
  await sandbox.control.join({ channel: 'it-help', user: 'vera' });
  // channel_shared, member_joined_channel, and the channel's line about it.
  await bodies.first(3);
  return { sandbox, bodies, vera };
}

const say = (sandbox: Sandbox, user: string, text: string) =>
  sandbox.control.message({ channel: 'it-help', user, text });

/** The workspaces in an event's body: of its author, its host, and the app. */
const teams = ({ event, team_id, context_team_id, authorizations }: Body) => [
  event.subtype ?? event.type,
  team_id,
  context_team_id,
  authorizations?.[0]?.team_id,
];

describe('the workspaces of an event in a shared channel', () => {
  test.each([
    ['if our own workspace hosts', false, OURS],
    ['if the other organisation hosts', true, PARTNER],
  ])(
    '%s, a message has its author’s workspace and comes through the host',
    async (_name, hostedByThem, host) => {
      const { sandbox, bodies } = await openShared({ hostedByThem });
      const { message } = await say(sandbox, 'vera', 'is it down?');
      await sandbox.control.editMessage({
        channel: 'it-help',
        user: 'vera',
        ts: message.ts,
        text: 'is it up?',
      });
      await sandbox.control.reaction({ channel: 'it-help', user: 'vera', ts: message.ts, name: 'eyes' });
      await sandbox.control.deleteMessage({ channel: 'it-help', user: 'vera', ts: message.ts });
      await say(sandbox, 'ada', 'ours');
      const seen = await bodies.first(8);
      expect(seen.map(teams)).toEqual([
        ['channel_shared', OURS, OURS, OURS],
        ['member_joined_channel', host, PARTNER, OURS],
        ['channel_join', PARTNER, host, OURS],
        ['message', PARTNER, host, OURS],
        ['message_changed', PARTNER, host, OURS],
        ['reaction_added', host, host, OURS],
        ['message_deleted', PARTNER, host, OURS],
        ['message', OURS, host, OURS],
      ]);
      expect(seen[1]?.event).toMatchObject({ team: PARTNER });
      expect(seen.slice(1).every((body) => body.is_ext_shared_channel)).toBe(true);
    },
  );

  test('a mention has the app’s workspace, and its author’s workspace in separate fields', async () => {
    const { sandbox, bodies, vera } = await openShared();
    await say(sandbox, 'vera', `<@${BOT}> help`);
    const [, , , , mention] = await bodies.first(5);
    expect(mention).toMatchObject({
      team_id: OURS,
      authorizations: [{ team_id: OURS, user_id: BOT }],
      event: {
        type: 'app_mention',
        user: vera,
        team: OURS,
        user_team: PARTNER,
        source_team: PARTNER,
        user_profile: { name: 'vera', real_name: 'Vera', team: PARTNER },
      },
    });
    expect(mention).not.toHaveProperty('context_team_id');
  });

  test('faults of a workspace apply to the events of its app, whoever caused them', async () => {
    const { sandbox, bodies } = await openShared();
    sandbox.control.faults({ faults: [], events: [{ kind: 'drop', team: OURS }] });
    await say(sandbox, 'vera', 'never told');
    await say(sandbox, 'vera', 'told');
    const [, , , told] = await bodies.first(4);
    expect(told?.event).toMatchObject({ text: 'told' });
  });

  test('channel_shared and channel_unshared name the other workspace, once each', async () => {
    const sandbox = await openSandbox();
    const events = new Mailbox<unknown>();
    await boltApp(sandbox, (app) => {
      for (const type of ['channel_shared', 'channel_unshared'] as const)
        app.event(type, async ({ event }) => events.put(event));
    });
    const share = (more: object) => sandbox.control.share({ channel: 'it-help', ...more });
    await share({ with: PARTNER });
    await share({ with: PARTNER });
    await share({ with: 'T0VENDOR' });
    await share({ with: PARTNER, shared: false });
    await share({ with: 'T0VENDOR', shared: false });
    expect(await events.first(4)).toMatchObject([
      { type: 'channel_shared', connected_team_id: PARTNER, channel: HELP },
      { type: 'channel_shared', connected_team_id: 'T0VENDOR', channel: HELP },
      { type: 'channel_unshared', previously_connected_team_id: PARTNER, is_ext_shared: true },
      { type: 'channel_unshared', previously_connected_team_id: 'T0VENDOR', is_ext_shared: false },
    ]);
    expect(events.items).toHaveLength(4);
  });
});

test('conversations.info names the host of a channel and the organisations it is shared with', async () => {
  const { sandbox } = await openShared({ hostedByThem: true });
  const client = webClient(sandbox);
  const info = async () => (await client.conversations.info({ channel: HELP })).channel;
  expect(await info()).toMatchObject({
    is_shared: true,
    is_ext_shared: true,
    conversation_host_id: PARTNER,
    connected_team_ids: [PARTNER],
    internal_team_ids: [OURS],
    shared_team_ids: [OURS, PARTNER],
    context_team_id: OURS,
  });
  await sandbox.control.share({ channel: 'it-help', with: PARTNER, shared: false });
  expect(await info()).toMatchObject({ is_ext_shared: false, shared_team_ids: [OURS] });
});

test('a button press by the other organisation has the app’s workspace, a modal that it submits has its own', async () => {
  const interactions = new Mailbox<unknown>();
  const { sandbox, vera } = await openShared({
    setUp(app) {
      app.action('ask', async ({ ack, body, client }) => {
        interactions.put(body);
        await client.views.open({
          trigger_id: 'trigger_id' in body ? body.trigger_id : '',
          view: {
            type: 'modal',
            callback_id: 'asked',
            title: { type: 'plain_text', text: 'Ask' },
            submit: { type: 'plain_text', text: 'Send' },
            blocks: [{ type: 'section', text: { type: 'plain_text', text: 'Ask' } }],
          },
        });
        await ack();
      });
      app.view('asked', async ({ ack, body }) => {
        interactions.put(body);
        await ack();
      });
    },
  });
  const { ts = '' } = await webClient(sandbox).chat.postMessage({
    channel: HELP,
    text: 'ask',
    blocks: [
      {
        type: 'actions',
        elements: [{ type: 'button', action_id: 'ask', text: { type: 'plain_text', text: 'Ask' } }],
      },
    ],
  });
  await sandbox.control.interact({ user: 'vera', channel: 'it-help', messageTs: ts, action: 'ask' });
  await sandbox.control.submitView({ user: 'vera' });
  expect(await interactions.first(2)).toMatchObject([
    { type: 'block_actions', team: { id: OURS }, user: { id: vera, team_id: PARTNER } },
    {
      type: 'view_submission',
      team: { id: PARTNER },
      user: { id: vera, team_id: PARTNER },
      view: { team_id: PARTNER, app_installed_team_id: OURS },
    },
  ]);
});

test('an app’s features are not shared: commands, shortcuts and previews are for its own workspace', async () => {
  const { sandbox, vera } = await openShared();
  sandbox.control.noise({ unfurlDomains: ['acme.example'] });
  await expect(
    sandbox.control.command({ channel: 'it-help', user: 'vera', command: '/ticket', text: '' }),
  ).rejects.toThrow('for people of the workspace that installed the app');
  const { message } = await say(sandbox, 'vera', 'https://acme.example/1');
  await expect(
    sandbox.control.shortcut({ user: 'vera', callbackId: 'x', channel: 'it-help', messageTs: message.ts }),
  ).rejects.toThrow('T0PARTNER');
  await say(sandbox, 'ada', 'https://acme.example/2');
  const told = sandbox.control
    .log()
    .filter((entry) => entry.kind === 'envelope' && entry.event === 'link_shared');
  expect(told).toHaveLength(1);
  const localeOf = async (user: string) =>
    (await webClient(sandbox).users.info({ user, include_locale: true })).user?.locale;
  expect([await localeOf(ADA), await localeOf(vera)]).toEqual(['en-US', undefined]);
});
