import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { LIMITS } from '../../../src/contract/index.ts';
import { parseChatEvent } from '../../../src/bridge/slack/chat-event.ts';
import { unreadInteraction } from '../../../src/bridge/slack/interaction.ts';
import { parseServiceEvent } from '../../../src/bridge/entry/service-event.ts';

const callback = (event: object, eventId = 'Ev1') => ({
  type: 'event_callback',
  team_id: 'T1',
  event_id: eventId,
  event,
});
const message = { type: 'message', channel: 'C1', user: 'U1', ts: '1700000000.000100', text: 'hello' };

describe('identity of events', () => {
  test('a message and its app_mention are the same event, whatever their event ids', () => {
    const first = parseChatEvent(callback(message, 'Ev1'));
    const second = parseChatEvent(callback({ ...message, type: 'app_mention' }, 'Ev2'));
    expect(first?.kind).toBe('message');
    expect(second?.key).toBe(first?.key);
  });

  test('the same timestamp in another channel is another message', () => {
    expect(parseChatEvent(callback({ ...message, channel: 'C2' }))?.key).not.toBe(
      parseChatEvent(callback(message))?.key,
    );
  });

  test('two edits of one message are two events, a repeated edit is one', () => {
    const edited = (ts: string) =>
      parseChatEvent(
        callback({
          type: 'message',
          subtype: 'message_changed',
          channel: 'C1',
          message: { ...message, edited: { ts } },
        }),
      );
    expect(edited('1.1')?.key).toBe(edited('1.1')?.key);
    expect(edited('1.1')?.key).not.toBe(edited('1.2')?.key);
    expect(edited('1.1')).toMatchObject({ kind: 'message-edited', editTs: '1.1' });
  });

  test('two edits within one second are distinguished by their text', () => {
    const edited = (text: string) =>
      parseChatEvent(
        callback({
          type: 'message',
          subtype: 'message_changed',
          channel: 'C1',
          message: { ...message, text, edited: { ts: '1700000000.000000' } },
        }),
      )?.key;
    expect(edited('hello you')).not.toBe(edited('hello all'));
    expect(edited('hello you')).toBe(edited('hello you'));
  });

  test('a reaction added, removed and added again is three events', () => {
    const reaction = (type: string, event_ts: string) =>
      parseChatEvent(
        callback({
          type,
          user: 'U1',
          reaction: 'ticket',
          event_ts,
          item: { type: 'message', channel: 'C1', ts: '1.1' },
        }),
      )?.key;
    expect(
      new Set([
        reaction('reaction_added', '2'),
        reaction('reaction_removed', '3'),
        reaction('reaction_added', '4'),
      ]).size,
    ).toBe(3);
  });
});

describe('message changes that are not edits', () => {
  test('an unfurl changes a message without an edit', () => {
    const unfurled = {
      type: 'message',
      subtype: 'message_changed',
      channel: 'C1',
      message: { ...message, attachments: [{}] },
      previous_message: message,
    };
    expect(parseChatEvent(callback(unfurled))?.kind).toBe('other');
  });

  test('an unfurl of an edited message does not repeat the edit', () => {
    const edited = { ...message, edited: { ts: '1.1' } };
    expect(
      parseChatEvent(
        callback({
          type: 'message',
          subtype: 'message_changed',
          channel: 'C1',
          message: edited,
          previous_message: edited,
        }),
      )?.kind,
    ).toBe('other');
  });

  test('a second edit within one second is an edit, though its edit timestamp stays the same', () => {
    const before = { ...message, edited: { ts: '1.1' } };
    const after = { ...before, text: 'hello again' };
    expect(
      parseChatEvent(
        callback({
          type: 'message',
          subtype: 'message_changed',
          channel: 'C1',
          message: after,
          previous_message: before,
        }),
      ),
    ).toMatchObject({ kind: 'message-edited', message: { text: 'hello again' } });
  });

  const bot = { ...message, user: undefined, bot_id: 'B9', subtype: 'bot_message', text: '' };
  const section = (text: string) => ({ type: 'section', block_id: 'x', text: { type: 'mrkdwn', text } });
  const field = (text: string) => ({ color: 'danger', fallback: text, text, bot_id: 'B9' });
  const preview = { from_url: 'https://x.example', title: 'A page', text: 'its words', id: 1 };
  const rewritten = (before: object, after: object, event_ts = '1700000009.000200') =>
    parseChatEvent(
      callback({
        type: 'message',
        subtype: 'message_changed',
        channel: 'C1',
        event_ts,
        message: { ...bot, ...after },
        previous_message: { ...bot, ...before },
      }),
    );

  test.each<[string, object, object]>([
    ['its text', { text: 'running' }, { text: 'failed' }],
    ['its blocks', { blocks: [section('running')] }, { blocks: [section('failed')] }],
    ['its attachments', { attachments: [field('running')] }, { attachments: [field('failed')] }],
    ['one more attachment', { attachments: [field('a')] }, { attachments: [field('a'), field('b')] }],
    ['a mention', { blocks: [section('<@U1>')] }, { blocks: [section('<@U2>')] }],
    ['its text beside a preview', { text: 'a' }, { text: 'b', attachments: [preview] }],
  ])('of another app, without an edit mark, %s that changed is an edit', (_, before, after) => {
    const edit = rewritten(before, after);
    expect(edit).toMatchObject({ kind: 'message-edited', editTs: '1700000009.000200' });
    // The same change once more is the same event, a later one another.
    expect(rewritten(before, after)?.key).toBe(edit?.key);
    expect(rewritten(after, before, '1700000010.000200')?.key).not.toBe(edit?.key);
  });

  test.each<[string, object, object]>([
    ['a preview of a link', { text: 'see' }, { text: 'see', attachments: [preview] }],
    ['a changed preview', { attachments: [preview] }, { attachments: [{ ...preview, text: 'others' }] }],
    [
      'an unfurl of an app',
      { text: 'see' },
      { text: 'see', attachments: [{ is_app_unfurl: true, app_unfurl_url: 'https://x.example', text: 'x' }] },
    ],
    [
      'the size of a picture',
      { blocks: [section('a')] },
      { blocks: [{ ...section('a'), image_width: 10, image_bytes: 7 }] },
    ],
    ['a thread counter', { text: 'a' }, { text: 'a', reply_count: 2 }],
    ['a color', { attachments: [field('a')] }, { attachments: [{ ...field('a'), color: 'good' }] }],
  ])('of another app, %s is no edit', (_, before, after) => {
    expect(rewritten(before, after)?.kind).toBe('other');
  });

  test('of a person, what changed without an edit mark is no edit', () => {
    const person = { bot_id: undefined, subtype: undefined, user: 'U1' };
    expect(rewritten({ ...person, text: 'a' }, { ...person, text: 'b' })?.kind).toBe('other');
  });

  test('a deleted file of a message is an edit; other changes of its files are none', () => {
    const file = { id: 'F1', name: 'a.png', mimetype: 'image/png' };
    const changed = (files: object[]) =>
      parseChatEvent(
        callback({
          type: 'message',
          subtype: 'message_changed',
          channel: 'C1',
          message: { ...message, files },
          previous_message: { ...message, files: [file] },
        }),
      );
    expect(changed([{ id: 'F1', mode: 'tombstone' }])).toMatchObject({
      kind: 'message-edited',
      editTs: undefined,
      message: { files: [{ id: 'F1', mode: 'tombstone' }] },
    });
    expect(changed([{ ...file, thumb_64: 'https://files.slack.com/x' }])?.kind).toBe('other');
  });

  test('a tombstone is a deletion', () => {
    const tombstone = {
      type: 'message',
      subtype: 'message_changed',
      channel: 'C1',
      message: { ...message, subtype: 'tombstone' },
      previous_message: message,
    };
    expect(parseChatEvent(callback(tombstone))?.kind).toBe('message-deleted');
  });

  test('a deleted reply keeps its thread', () => {
    const deleted = {
      type: 'message',
      subtype: 'message_deleted',
      channel: 'C1',
      deleted_ts: '2.2',
      previous_message: { ...message, ts: '2.2', thread_ts: '1.1' },
    };
    expect(parseChatEvent(callback(deleted))).toMatchObject({
      kind: 'message-deleted',
      root: '1.1',
      place: { ts: '2.2' },
    });
  });
});

describe('commands and buttons', () => {
  test('a command’s text stays as Slack sends it, with its references', () => {
    const body = {
      team_id: 'T1',
      channel_id: 'C1',
      user_id: 'U1',
      command: '/ticket',
      text: 'new a &lt;b&gt; &amp;amp; c',
      trigger_id: 't',
      response_url: 'https://x.example',
    };
    expect(parseChatEvent(body)).toMatchObject({ kind: 'command', command: { escaped: body.text } });
  });

  test('a button press has its action and its value', () => {
    const body = {
      type: 'block_actions',
      trigger_id: 't',
      user: { id: 'U1' },
      team: { id: 'T1' },
      channel: { id: 'C1' },
      response_url: 'r',
      actions: [{ action_id: 'search_more', value: 'v' }],
    };
    expect(parseChatEvent(body)).toMatchObject({
      kind: 'action',
      action: { actionId: 'search_more', value: 'v', team: 'T1' },
    });
  });
});

describe('interactions without fields that Slack may leave out', () => {
  const by = { team: { id: 'T1' }, user: { id: 'U1', team_id: 'T1' }, trigger_id: '1.2.3' };
  const view = {
    id: 'V1',
    hash: '1.abc',
    callback_id: 'form',
    external_id: 'x',
    private_metadata: '{}',
    blocks: [],
    state: { values: { words: { words: { type: 'plain_text_input', value: 'hello' } } } },
  };
  const whole = {
    block_actions: {
      ...by,
      type: 'block_actions',
      channel: { id: 'C1' },
      message: { ts: '1700000000.000100' },
      container: { type: 'message', message_ts: '1700000000.000100', channel_id: 'C1' },
      response_url: 'https://hooks.slack.com/actions/1',
      view,
      actions: [{ action_id: 'a', block_id: 'b', action_ts: '1.1', value: 'v', type: 'button' }],
    },
    view_submission: { ...by, type: 'view_submission', view },
    shortcut: { ...by, type: 'shortcut', callback_id: 'new_ticket', action_ts: '1.1' },
    message_action: {
      ...by,
      type: 'message_action',
      callback_id: 'create',
      channel: { id: 'C1' },
      message,
      response_url: 'https://hooks.slack.com/actions/1',
    },
    command: {
      team_id: 'T1',
      channel_id: 'C1',
      user_id: 'U1',
      command: '/ticket',
      text: 'list',
      trigger_id: '1.2.3',
      response_url: 'https://hooks.slack.com/commands/1',
    },
  } as const;
  const kinds = {
    block_actions: 'action',
    view_submission: 'submission',
    shortcut: 'global-shortcut',
    message_action: 'shortcut',
    command: 'command',
  };
  type Kind = keyof typeof whole;

  test.each<[Kind, Record<string, unknown>]>([
    ...(Object.keys(whole) as Kind[]).flatMap((kind): [Kind, Record<string, unknown>][] => [
      [kind, {}],
      [kind, { trigger_id: undefined }],
      [kind, { trigger_id: '' }],
      [kind, { team: null }],
      [kind, { response_url: undefined }],
    ]),
    ['block_actions', { channel: null }],
    ['block_actions', { message: undefined }],
    ['block_actions', { message: null, view: null, container: null }],
    ['block_actions', { view: { ...view, state: {} } }],
    ['block_actions', { view: { id: 'V1' } }],
    ['block_actions', { actions: [{ action_id: 'a' }, { action_id: 'b' }] }],
    ['view_submission', { view: { ...view, state: {} } }],
    ['view_submission', { view: { ...view, state: undefined } }],
    ['view_submission', { view: { ...view, state: { values: { words: null } } } }],
    ['view_submission', { view: { id: 'V1' } }],
    ['view_submission', { view: { ...view, hash: undefined, blocks: undefined } }],
    ['message_action', { message: { ts: '1700000000.000100' } }],
  ])('a %s with %j is worked', (kind, without) => {
    const body = { ...whole[kind], ...without };
    const event = parseChatEvent(body);
    expect(event?.kind).toBe(kinds[kind]);
    // Its repetition is the same event, and what another person did is another one.
    expect(parseChatEvent(structuredClone(body))?.key).toBe(event?.key);
    if (kind === 'view_submission' || without['trigger_id'] === undefined) return;
    const other = { ...body, user: { id: 'U2' }, user_id: 'U2' };
    expect(parseChatEvent(other)?.key).not.toBe(event?.key);
  });

  test('an interaction without a trigger has one of its own', () => {
    const trigger = (user: string) => {
      const event = parseChatEvent({ ...whole.shortcut, trigger_id: undefined, user: { id: user } });
      return event?.kind === 'global-shortcut' ? event.shortcut.triggerId : undefined;
    };
    expect(trigger('U1')).toMatch(/^none-./);
    expect(trigger('U1')).not.toBe(trigger('U2'));
  });

  test('what was typed in a window is read, whatever else its state has', () => {
    const state = { values: { ...view.state.values, empty: null } };
    const event = parseChatEvent({ ...whole.view_submission, view: { ...view, state } });
    expect(event).toMatchObject({ submission: { values: { words: 'hello' }, metadata: '{}' } });
  });

  test.each<[string, unknown, unknown]>([
    [
      'a window with an input',
      { blocks: [{ type: 'section' }, { type: 'input', block_id: 'b1' }] },
      'errors',
    ],
    ['a window without inputs', { blocks: [{ type: 'section' }] }, 'push'],
    ['an unreadable window', 'V1', 'push'],
  ])('%s that cannot be read stays open and says so', (_, shown, action) => {
    const body = { type: 'view_submission', user: 'nobody', view: shown };
    expect(parseChatEvent(body)).toBeUndefined();
    expect(unreadInteraction(body)?.acknowledgement).toMatchObject({ response_action: action });
  });

  test.each(['block_actions', 'shortcut', 'message_action', 'interactive_message'])(
    'a %s that cannot be read is answered where it was made',
    (type) => {
      const body = { type, response_url: 'https://hooks.slack.com/actions/1' };
      expect(parseChatEvent(body)).toBeUndefined();
      expect(unreadInteraction(body)).toMatchObject({
        acknowledgement: undefined,
        responseUrl: body.response_url,
      });
    },
  );

  test.each<[unknown]>([[{ type: 'view_closed' }], [{ type: 'app_rate_limited' }], [null], ['x']])(
    '%j needs no answer',
    (body) => expect(unreadInteraction(body)).toBeUndefined(),
  );
});

describe('texts beyond what a ticket takes', () => {
  const MOST = LIMITS.messageContent;
  const long = 'a word '.repeat(50_000);
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const nested = (depth: number): object => {
    let value: object = { text: 'deep' };
    for (let at = 0; at < depth; at++) value = { elements: [value] };
    return value;
  };
  const textsIn = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(textsIn)
        : [];

  test.each<[what: string, parts: Record<string, unknown>, field: 'text' | 'blocks' | 'attachments']>([
    ['one text', { text: long }, 'text'],
    ['one text of emoji', { text: '👩‍👩‍👧‍👦'.repeat(20_000) }, 'text'],
    ['one block', { blocks: [section(long)] }, 'blocks'],
    ['many blocks', { blocks: Array.from({ length: 90 }, () => section(long.slice(0, 3_000))) }, 'blocks'],
    ['attachments', { attachments: [{ text: long, fields: [{ title: long, value: long }] }] }, 'attachments'],
  ])('end there: %s', (_, parts, field) => {
    const event = parseChatEvent(callback({ ...message, ...parts }));
    if (event?.kind !== 'message') throw new Error('no message');
    const kept = textsIn(event.message[field]).join('');
    expect(kept.length).toBeLessThanOrEqual(MOST);
    expect(kept.length).toBeGreaterThan(MOST - 100);
    expect(kept.isWellFormed()).toBe(true);
  });

  test.each(['blocks', 'attachments'] as const)('more %s than a message has are left out', (field) => {
    const event = parseChatEvent(callback({ ...message, [field]: Array.from({ length: 40_000 }, () => 0) }));
    if (event?.kind !== 'message') throw new Error('no message');
    expect(event.message[field]).toHaveLength(100);
  });

  test('what Slack sends stays as it is, and what is nested deeper than anything is left out', () => {
    const blocks = [section('a word'), nested(20)];
    const event = parseChatEvent(callback({ ...message, blocks: [...blocks, nested(100_000)] }));
    if (event?.kind !== 'message') throw new Error('no message');
    expect(event.message.blocks.slice(0, 2)).toEqual(blocks);
    expect(JSON.stringify(event.message.blocks).length).toBeLessThan(2_000);
  });
});

describe('arbitrary JSON', () => {
  test('P3 the parser of Slack’s bodies never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void parseChatEvent(json)));
    fc.assert(
      fc.property(
        fc.record({
          type: fc.constant('event_callback'),
          team_id: fc.string(),
          event_id: fc.string(),
          event: fc.dictionary(
            fc.constantFrom('type', 'subtype', 'channel', 'ts', 'message', 'item', 'user'),
            fc.jsonValue(),
          ),
        }),
        (json) => void parseChatEvent(json),
      ),
    );
  });

  test('P3 the parser of the service’s events never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void parseServiceEvent('T1', json)));
  });

  test.each([
    [{ type: 'Message', ticket: { id: 'tkt_1' }, data: { id: 'msg_1' } }, 'tkt_1'],
    [{ type: 'Message', data: { id: 'msg_1', ticketId: 'tkt_2' } }, 'tkt_2'],
    [{ type: 'ticket', data: { id: 'tkt_3' } }, 'tkt_3'],
    [{ type: 'Message', data: { id: 'msg_1' } }, undefined],
    ['nonsense', undefined],
  ])('another implementation’s event is a hint if it names a ticket: %j', (body, ticketId) => {
    expect(parseServiceEvent('T1', body)?.ticketId).toBe(ticketId);
  });
});
