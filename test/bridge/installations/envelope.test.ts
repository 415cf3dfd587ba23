import { describe, expect, test } from 'vitest';

import { asEnvelopeOf, addressOf, withTeam } from '../../../src/bridge/slack/workspace-of-envelope.ts';
import { parseChatEvent } from '../../../src/bridge/slack/chat-event.ts';

const BOT = { team: 'T0ACME', botId: 'B0OURS' };
const NOW = new Date('2026-03-01T10:00:00Z');
const address = (body: unknown) => addressOf(body, NOW);

/**
 * As in https://docs.slack.dev/apis/events-api, from a workspace of an organisation that installed the app.
 */
const EVENT = {
  type: 'event_callback',
  team_id: 'T0ACME',
  context_team_id: 'T0ACME',
  context_enterprise_id: 'E0GROUP',
  event_id: 'Ev1',
  event_time: 1_772_359_200,
  event: { type: 'message', channel: 'C0HELP', user: 'U1', text: 'x', ts: '1.2' },
  authorizations: [
    {
      enterprise_id: 'E0GROUP',
      team_id: 'T0ACME',
      user_id: 'U0BOT',
      is_bot: true,
      is_enterprise_install: true,
    },
  ],
};

describe('P10 the workspace of an envelope', () => {
  test.each<
    [
      what: string,
      body: object,
      teams: string[],
      organisation: string | undefined,
      channel: string | undefined,
    ]
  >([
    [
      'an event of a standalone workspace',
      { team_id: 'T0ACME', event: { type: 'message', channel: 'C0HELP' } },
      ['T0ACME'],
      undefined,
      'C0HELP',
    ],
    ['an event of an organisation’s workspace', EVENT, ['T0ACME'], 'E0GROUP', 'C0HELP'],
    [
      'an event of an organisation’s workspace that installed the app for itself',
      {
        ...EVENT,
        authorizations: [{ enterprise_id: 'E0GROUP', team_id: 'T0ACME', is_enterprise_install: false }],
      },
      ['T0ACME'],
      undefined,
      'C0HELP',
    ],
    [
      'an event of a channel shared by another company: the workspace with the app comes first',
      { team_id: 'T0OTHER', context_team_id: 'T0ACME', event: { type: 'message', channel: 'C0HELP' } },
      ['T0ACME', 'T0OTHER'],
      undefined,
      'C0HELP',
    ],
    [
      'an event of a channel hosted by another company: the authorization comes first, the host may have the app too',
      {
        team_id: 'T0OTHER',
        context_team_id: 'T0HOST',
        authorizations: [{ enterprise_id: null, team_id: 'T0ACME', is_enterprise_install: false }],
        event: { type: 'message', channel: 'C0HELP' },
      },
      ['T0ACME', 'T0HOST', 'T0OTHER'],
      undefined,
      'C0HELP',
    ],
    [
      'a reaction',
      { team_id: 'T0ACME', event: { type: 'reaction_added', item: { channel: 'C0HELP' } } },
      ['T0ACME'],
      undefined,
      'C0HELP',
    ],
    [
      'links of a draft, which is in no channel',
      { team_id: 'T0ACME', event: { type: 'link_shared', channel: 'COMPOSER' } },
      ['T0ACME'],
      undefined,
      undefined,
    ],
    [
      'a slash command, where booleans are text',
      {
        team_id: 'T0ACME',
        enterprise_id: 'E0GROUP',
        channel_id: 'D0ADA',
        command: '/ticket',
        is_enterprise_install: 'true',
      },
      ['T0ACME'],
      'E0GROUP',
      'D0ADA',
    ],
    [
      'a press, which has no team in an organisation',
      {
        type: 'block_actions',
        team: null,
        enterprise: { id: 'E0GROUP' },
        is_enterprise_install: true,
        user: { id: 'U1', team_id: 'T0HOME' },
        channel: { id: 'C0HELP' },
      },
      ['T0HOME'],
      'E0GROUP',
      'C0HELP',
    ],
    [
      'a modal: the workspace where it was opened comes before its user’s',
      {
        type: 'view_submission',
        team: null,
        enterprise: { id: 'E0GROUP' },
        is_enterprise_install: true,
        user: { id: 'U1', team_id: 'T0HOME' },
        view: { id: 'V1', team_id: 'T0ACME' },
      },
      ['T0ACME', 'T0HOME'],
      'E0GROUP',
      undefined,
    ],
    ['an unreadable envelope', { team_id: 7, event: 'x', authorizations: 'y' }, [], undefined, undefined],
  ])('%s', (_what, body, teams, organisation, channel) => {
    expect(address(body)).toEqual({ teams, organisation, channel, news: undefined });
  });

  test('an empty envelope belongs to no workspace', () => {
    for (const body of [undefined, null, 'x', 7, []]) expect(address(body).teams).toEqual([]);
  });
});

describe('P10 what an envelope says of the installation', () => {
  test.each<[what: string, body: object, news: unknown]>([
    [
      'the app was removed, at the latest in that second',
      { ...EVENT, event: { type: 'app_uninstalled' } },
      { kind: 'removed', at: new Date(1_772_359_201_000) },
    ],
    [
      'the bot’s token was revoked',
      { team_id: 'T0ACME', event: { type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } } },
      { kind: 'removed', at: NOW },
    ],
    [
      'a user’s own token was revoked',
      { team_id: 'T0ACME', event: { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } } },
      undefined,
    ],
    [
      'a workspace was added',
      {
        team_id: null,
        enterprise_id: 'E0GROUP',
        event: { type: 'team_access_granted', team_ids: ['T0ACME'] },
      },
      { kind: 'access' },
    ],
    [
      'a workspace was removed',
      {
        team_id: null,
        enterprise_id: 'E0GROUP',
        event: { type: 'team_access_revoked', team_ids: ['T0ACME'] },
      },
      { kind: 'access' },
    ],
    ['a message', EVENT, undefined],
  ])('%s', (_what, body, change) => {
    expect(address(body).installationChange).toEqual(change);
  });

  test('the uninstall event of an organisation names no workspace', () => {
    const body = { team_id: null, enterprise_id: 'E0GROUP', event: { type: 'app_uninstalled' } };
    expect(address(body)).toMatchObject({ teams: [], organisation: 'E0GROUP' });
  });
});

test('P10 an accepted envelope gets the id of the workspace that processes it, whatever id Slack sent', () => {
  expect(withTeam(EVENT, 'T0ACME')).toBe(EVENT);
  expect(withTeam(EVENT, 'T0ORBIT')).toEqual({ ...EVENT, team_id: 'T0ORBIT' });
  const press = { type: 'block_actions', team: null, user: { id: 'U1', team_id: 'T0HOME' } };
  expect(withTeam(press, 'T0ORBIT')).toEqual({ ...press, team: { id: 'T0ORBIT' } });
  const known = { type: 'shortcut', team: { id: 'T0ACME', domain: 'acme' } };
  expect(withTeam(known, 'T0ACME')).toEqual(known);
});

describe('B63 an envelope of a shared channel belongs to the workspace that installed the app', () => {
  const around = {
    type: 'event_callback',
    team_id: 'T0PARTNER',
    api_app_id: 'A0APP',
    event_id: 'Ev2',
    event_time: 1_772_359_200,
    is_ext_shared_channel: true,
    event_context: '4-eyJldCI6Im1lc3NhZ2UifQ',
  };
  const authorizations = [
    {
      enterprise_id: null,
      team_id: 'T0ACME',
      user_id: 'U0BOT',
      is_bot: true,
      is_enterprise_install: false,
    },
  ];
  const reply = {
    type: 'message',
    channel: 'C0SHARED',
    channel_type: 'channel',
    user: 'U0PARTNER',
    team: 'T0PARTNER',
    user_team: 'T0PARTNER',
    source_team: 'T0PARTNER',
    text: 'the same here',
    ts: '1772359200.000200',
    thread_ts: '1772359100.000100',
  };
  const events = {
    'a reply': reply,
    'an edit': {
      type: 'message',
      subtype: 'message_changed',
      channel: 'C0SHARED',
      message: { ...reply, edited: { user: 'U0PARTNER', ts: '1772359260.000000' } },
      previous_message: { ...reply, text: 'same' },
    },
    'a reaction': {
      type: 'reaction_added',
      user: 'U0PARTNER',
      reaction: 'eyes',
      item: { type: 'message', channel: 'C0SHARED', ts: reply.ts },
      event_ts: '1772359270.000100',
    },
  };
  const teamIn = (body: unknown) => {
    const event = parseChatEvent(asEnvelopeOf(body, BOT));
    switch (event?.kind) {
      case 'message':
      case 'message-edited':
        return event.message.team;
      case 'reaction':
        return event.place.team;
      case 'submission':
        return event.submission.team;
      case 'action':
        return event.action.team;
      default:
        return undefined;
    }
  };

  test.each(Object.entries(events))('%s of the other organisation', (_, event) => {
    expect(teamIn({ ...around, event, context_team_id: 'T0ACME', authorizations })).toBe('T0ACME');
    expect(teamIn({ ...around, event, authorizations })).toBe('T0ACME');
    expect(teamIn({ ...around, event, context_team_id: 'T0ACME' })).toBe('T0ACME');
  });

  const by = {
    team: { id: 'T0PARTNER', domain: 'partner' },
    user: { id: 'U0PARTNER', username: 'pat', team_id: 'T0PARTNER' },
    trigger_id: '1.2.3',
    enterprise: null,
    is_enterprise_install: false,
  };
  const view = {
    id: 'V1',
    team_id: 'T0PARTNER',
    app_installed_team_id: 'T0ACME',
    hash: '1772359200.abc',
    callback_id: 'new_ticket',
    private_metadata: '',
    blocks: [],
    state: { values: {} },
  };

  test('a modal that the other organisation submits', () => {
    expect(teamIn({ ...by, type: 'view_submission', view })).toBe('T0ACME');
    expect(addressOf({ ...by, type: 'view_submission', view }, NOW).teams[0]).toBe('T0ACME');
  });

  test('a button that the other organisation presses, without the installing workspace in the envelope', () => {
    const actions = [{ action_id: 'card_assign_me', block_id: 'b', action_ts: '1.1', value: 'tkt_1' }];
    expect(
      teamIn({
        ...by,
        type: 'block_actions',
        channel: { id: 'C0SHARED', name: 'shared' },
        message: { ts: '1.1' },
        response_url: 'https://hooks.slack.com/actions/1',
        actions,
      }),
    ).toBe('T0ACME');
  });

  const foreign = { team_id: 'T0OTHER', api_app_id: 'A0APP' };
  const own = { team_id: 'T0ACME', api_app_id: 'A0APP' };
  const acting = { ...by, enterprise: null };
  const actions = [{ action_id: 'a', block_id: 'b', action_ts: '1.1', value: 'v' }];
  const installedIn = (team: string) => [{ ...authorizations[0], team_id: team }];

  test.each<[what: string, isOurs: boolean, body: object]>([
    ['an event of another workspace', false, { ...around, event: reply, context_team_id: 'T0PARTNER' }],
    [
      'an event of a channel that we share, to the other workspace’s installation',
      false,
      { ...around, event: reply, authorizations: installedIn('T0PARTNER') },
    ],
    [
      'the same event, to ours',
      true,
      { ...around, event: reply, context_team_id: 'T0PARTNER', authorizations },
    ],
    ['an event without an authorization', false, { ...foreign, event: reply }],
    ['an event without an authorization, of a shared channel', true, { ...around, event: reply }],
    ['an event of our own', true, { ...own, event: reply }],
    ['a command', false, { ...foreign, command: '/ticket', text: 'show IT-1' }],
    [
      'a command in another workspace of our organisation',
      false,
      { ...foreign, command: '/ticket', enterprise_id: 'E0GROUP', is_enterprise_install: 'false' },
    ],
    ['a command of our own', true, { ...own, command: '/ticket', text: 'show IT-1' }],
    ['a shortcut', false, { ...acting, type: 'shortcut', callback_id: 'new' }],
    ['a shortcut of our own', true, { ...acting, type: 'shortcut', team: { id: 'T0ACME' } }],
    ['a shortcut on a message', false, { ...acting, type: 'message_action', message: { bot_id: 'B0OURS' } }],
    [
      'a button of another installation’s message',
      false,
      { ...acting, type: 'block_actions', actions, message: { bot_id: 'B0OTHER', ts: '1.1' } },
    ],
    [
      'a button of our message, pressed by the other organisation',
      true,
      { ...acting, type: 'block_actions', actions, message: { bot_id: 'B0OURS', ts: '1.1' } },
    ],
    [
      'options of another installation’s modal',
      false,
      { ...acting, type: 'block_suggestion', view: { ...view, app_installed_team_id: 'T0PARTNER' } },
    ],
    [
      'options of another installation’s modal, by its bot',
      false,
      { ...acting, type: 'block_suggestion', view: { id: 'V1', team_id: 'T0ACME', bot_id: 'B0OTHER' } },
    ],
    ['options of our modal', true, { ...acting, type: 'block_suggestion', view }],
    [
      'a modal of another installation',
      false,
      { ...acting, type: 'view_submission', view: { ...view, app_installed_team_id: 'T0PARTNER' } },
    ],
    ['a modal of ours', true, { ...acting, type: 'view_submission', view: { ...view, bot_id: 'B0OURS' } }],
    ['an unreadable envelope', true, { team_id: 7 }],
  ])('%s: taken by the bridge with one token: %s', (_, isOurs, body) => {
    expect(asEnvelopeOf(body, BOT) !== undefined).toBe(isOurs);
    // A token of the whole organisation is for all of its workspaces.
    expect(asEnvelopeOf(body, { ...BOT, team: 'E0GROUP' })).not.toBeUndefined();
  });
});
