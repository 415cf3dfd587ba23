import type { App } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { SHORTCUTS } from '../../src/bridge/blocks/modals.ts';
import { LISTENERS } from '../../src/bridge/app.ts';
import type { Bridge } from '../../src/bridge/bridge.ts';
import { EVENT_KINDS } from '../../src/bridge/slack/message-kinds.ts';
import { SANDBOX_SEED } from '../../src/start/demo.ts';
import { filesOf, textOf } from './documents.ts';
import { readManifest } from './manifest-lines.ts';

const history = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];

/**
 * The scopes of each Web API method, from "Bot token scopes" on its page
 * (https://docs.slack.dev/reference/methods); if a method has alternatives, those for the conversations that
 * the bridge uses it for.
 */
const METHOD_SCOPES: Record<string, readonly string[]> = {
  'auth.test': [],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.unfurl': ['links:write'],
  'chat.update': ['chat:write'],
  'conversations.history': history,
  // For channels named in a message: never direct conversations.
  'conversations.info': ['channels:read', 'groups:read'],
  // For triage channels: never direct conversations.
  'conversations.members': ['channels:read', 'groups:read'],
  // For private tickets: always private channels.
  'conversations.archive': ['groups:write'],
  'conversations.create': ['groups:write'],
  'conversations.invite': ['groups:write'],
  'conversations.join': ['channels:join'],
  'conversations.list': ['channels:read', 'groups:read'],
  // With one person or several: a direct conversation.
  'conversations.open': ['im:write', 'mpim:write'],
  'conversations.replies': history,
  'files.completeUploadExternal': ['files:write'],
  'files.delete': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  // Every kind of conversation is listed, to find missed changes in all of them.
  'usergroups.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

/** Scopes for options of a call, by a pattern in the code. */
const EXTRA_SCOPES: [what: string, code: RegExp, scopes: readonly string[]][] = [
  ['a post under another name', /\busername: /, ['chat:write.customize']],
  ['the e-mail of a profile', /\bemail: z\.string/, ['users:read.email']],
  // Looking up a post with an unknown outcome reads metadata; the scope prevents duplicate posts.
  ['metadata of messages', /include_all_metadata: true/, ['metadata.message:read']],
];

/** By type of event: its subscriptions, with the scope of each (https://docs.slack.dev/reference/events). */
const SUBSCRIPTIONS: Record<string, Record<string, string>> = {
  // Needs no scope.
  app_home_opened: { app_home_opened: '' },
  app_mention: { app_mention: 'app_mentions:read' },
  message: {
    'message.channels': 'channels:history',
    'message.groups': 'groups:history',
    'message.im': 'im:history',
    'message.mpim': 'mpim:history',
  },
  // For the domain that `deskbridge manifest` adds if links to tickets have a public URL.
  link_shared: { link_shared: 'links:read' },
  reaction_added: { reaction_added: 'reactions:read' },
  // For renamed and deactivated users; Slack also sends it for every change of status.
  user_change: { user_change: 'users:read' },
  reaction_removed: { reaction_removed: 'reactions:read' },
};

const Manifest = z.strictObject({
  display_information: z.strictObject({ name: z.string().max(35), description: z.string().max(140) }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({
      display_name: z.string().regex(/^[a-z0-9._-]{1,80}$/),
      always_online: z.boolean(),
    }),
    // At most ten of both kinds together (`features.shortcuts`,
    // https://docs.slack.dev/reference/app-manifest).
    shortcuts: z
      .array(
        z.strictObject({
          name: z.string().max(24),
          type: z.enum(['message', 'global']),
          callback_id: z.string().max(255),
          description: z.string().max(150),
        }),
      )
      .max(10),
    slash_commands: z.array(
      z.strictObject({
        command: z.string().max(32),
        description: z.string(),
        usage_hint: z.string(),
        should_escape: z.boolean(),
      }),
    ),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(z.string()) }) }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ bot_events: z.array(z.string()) }),
    interactivity: z.strictObject({ is_enabled: z.boolean() }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

const bridge = [...filesOf('src/bridge/**/*.ts').values()].join('\n');
const manifest = Manifest.parse(readManifest(textOf('manifest.yml')));

const used = (pattern: RegExp, text: string) =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
const methods = used(
  /\bclient\.((?:admin|api|apps|auth|bookmarks|chat|conversations|emoji|files|pins|reactions|team|usergroups|users|views)\.\w+)\(/g,
  bridge,
);
const events = [...EVENT_KINDS.keys()];
/** What the app listens to. */
const listened = {
  event: new Set<string>(),
  command: new Set(),
  action: new Set(),
  view: new Set(),
  shortcut: new Set(),
};
const recorder = Object.fromEntries(
  Object.entries(listened).map(([kind, names]) => [kind, (name: string) => void names.add(name)]),
) as unknown as App;
for (const add of LISTENERS) add(recorder, {} as Bridge);

describe('manifest.yml', () => {
  test('requests the scopes of the bridge’s calls and events, and no others', () => {
    expect(methods.length).toBeGreaterThan(5);
    expect(methods.filter((method) => !(method in METHOD_SCOPES))).toEqual([]);
    const wanted = new Set([
      ...methods.flatMap((method) => METHOD_SCOPES[method] ?? []),
      ...EXTRA_SCOPES.flatMap(([, code, scopes]) => (code.test(bridge) ? scopes : [])),
      ...events.flatMap((event) => Object.values(SUBSCRIPTIONS[event] ?? {})).filter(Boolean),
      ...(listened.command.size > 0 ? ['commands'] : []),
    ]);
    expect(manifest.oauth_config.scopes.bot).toEqual([...wanted].sort());
  });

  test('has the scopes that the sandbox grants, so a call without a scope in the manifest fails there too', () => {
    expect(SANDBOX_SEED.app.scopes).toEqual(manifest.oauth_config.scopes.bot);
  });

  test('subscribes to the events that the bridge parses and listens to, and no others', () => {
    expect([...listened.event].sort()).toEqual([...events].sort());
    expect(events.filter((event) => !(event in SUBSCRIPTIONS))).toEqual([]);
    const wanted = events.flatMap((event) => Object.keys(SUBSCRIPTIONS[event] ?? {}));
    expect(manifest.settings.event_subscriptions.bot_events).toEqual(wanted.sort());
  });

  test('has the one command, escaped as the parser expects it, and only shortcuts that have a handler', () => {
    expect(listened.command.size).toBeGreaterThan(0);
    expect([...listened.shortcut].sort()).toEqual(Object.values<string>(SHORTCUTS).sort());
    expect(manifest.features.slash_commands).toMatchObject([{ command: '/ticket', should_escape: true }]);
    // The `manifest` command replaces the name in exactly this line.
    expect(textOf('manifest.yml').match(/command: \/ticket$/gm)).toHaveLength(1);
    expect(manifest.features.shortcuts.map(({ callback_id, type }) => [callback_id, type])).toEqual(
      Object.values(SHORTCUTS).map((id) => [id, id === SHORTCUTS.newTicket ? 'global' : 'message']),
    );
    // Every message's menu shows these shortcuts, so there are few.
    expect(
      manifest.features.shortcuts.filter(({ type }) => type === 'message').map(({ name }) => name),
    ).toEqual(['Create ticket', 'Create ticket with form', 'Send to requester', 'Ticket actions']);
    expect(SANDBOX_SEED.app.shortcuts.map(({ callbackId, name, on }) => [callbackId, name, on])).toEqual(
      manifest.features.shortcuts.map(({ callback_id, name, type }) => [callback_id, name, type]),
    );
    expect(events).toContain('app_home_opened');
    expect(manifest.features.app_home.home_tab_enabled).toBe(true);
  });

  test('enables what answers and direct messages need, over Socket Mode', () => {
    expect(listened.action.size).toBeGreaterThan(0);
    expect(manifest.settings).toMatchObject({
      interactivity: { is_enabled: true },
      socket_mode_enabled: true,
    });
    expect(manifest.features.app_home).toMatchObject({
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });
});

test.each([
  ['a tab', 'a:\n\tb: c'],
  ['a text that YAML parses differently', 'a: b | c'],
  ['a key twice', 'a: b\na: c'],
  ['a wrong indentation', 'a: b\n   c: d'],
])('the manifest parser rejects %s', (_, text) => {
  expect(() => readManifest(text)).toThrow();
});
