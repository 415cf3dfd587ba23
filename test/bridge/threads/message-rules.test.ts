import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decideMessage, type MessageFacts } from '../../../src/bridge/threads/rules.ts';
import { REPLY as reply } from './reply-facts.ts';

const root: MessageFacts = { ...reply, isRoot: true, hasTicket: false };
const toBot: MessageFacts = { ...root, isToBot: true };
/** Of another app, where an operator lets them take part. */
const ofApp = { fromBot: true, botsAllowed: true };

describe('what becomes of a new chat message', () => {
  test.each<[string, MessageFacts, { do: string; text?: string }]>([
    [
      'B1 a root that mentions the bot opens a ticket',
      { ...root, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B4 a mention in a thread opens the ticket on the root',
      { ...reply, hasTicket: false, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B4 a bare mention in a thread opens the ticket on the root',
      { ...reply, hasTicket: false, mentionsBot: true, hasContent: false },
      { do: 'open', text: 'root' },
    ],
    [
      'B6 a root that is only the mention is asked about',
      { ...root, mentionsBot: true, hasContent: false },
      { do: 'ask' },
    ],
    [
      'B6 the answer of who was asked describes the ticket',
      { ...reply, hasTicket: false, isAnswer: true },
      { do: 'open', text: 'this' },
    ],
    [
      'B6 an empty answer is not taken for one',
      { ...reply, hasTicket: false, isAnswer: true, hasContent: false },
      { do: 'ignore' },
    ],
    [
      'B6 the root of a ticket is its description, not a message',
      { ...reply, isRoot: true },
      { do: 'ignore' },
    ],
    ['B12 a reply in a ticket’s thread is put on the ticket', reply, { do: 'append' }],
    [
      'B12 a broadcast reply is one message like any other (B60)',
      { ...reply, subtype: 'thread_broadcast' },
      { do: 'append' },
    ],
    [
      'B12 a reply that is linked already is not put there twice',
      { ...reply, isLinked: true },
      { do: 'ignore' },
    ],
    [
      'B12 a reply that was deleted before it could cross does not cross',
      { ...reply, isDeleted: true },
      { do: 'ignore' },
    ],
    ['B12 talk without a ticket stays talk', { ...reply, hasTicket: false }, { do: 'ignore' }],
    [
      'B2 a mention with words in a ticket’s thread is an ordinary reply',
      { ...reply, mentionsBot: true },
      { do: 'append' },
    ],
    [
      'B2 a bare mention in a ticket’s thread tells that there is one',
      { ...reply, mentionsBot: true, hasContent: false },
      { do: 'say-already' },
    ],
    [
      'B16 our own post is never carried back, even if it mentions us',
      { ...reply, isOurs: true, fromBot: true, mentionsBot: true },
      { do: 'ignore' },
    ],
    ['B17 another app’s message is not carried', { ...reply, fromBot: true }, { do: 'ignore' }],
    [
      'B17 nor does its mention of the bot open a ticket',
      { ...root, fromBot: true, mentionsBot: true },
      { do: 'ignore' },
    ],
    ['B17 an allowed app’s reply is put on the ticket', { ...reply, ...ofApp }, { do: 'append' }],
    [
      'B17 an allowed app opens a ticket by a mention',
      { ...root, ...ofApp, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B17 an allowed app opens one on a thread by a mention in it',
      { ...reply, ...ofApp, hasTicket: false, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B17 an allowed app that only mentions the bot is not asked what it needs',
      { ...root, ...ofApp, mentionsBot: true, hasContent: false },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app that only mentions the bot in a ticket’s thread is not told anything',
      { ...reply, ...ofApp, mentionsBot: true, hasContent: false },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app opens nothing unasked where every message is wanted',
      { ...root, ...ofApp, opensEveryMessage: true },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app opens nothing unasked in a direct message',
      { ...toBot, ...ofApp },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app’s greeting is not answered',
      { ...toBot, ...ofApp, isGreeting: true },
      { do: 'ignore' },
    ],
    [
      'B16 our own post is not another app’s, also where those are allowed',
      { ...reply, ...ofApp, isOurs: true },
      { do: 'ignore' },
    ],
    ['B8 a message to the bot alone opens a ticket', toBot, { do: 'open', text: 'root' }],
    [
      'B8 a message to the bot soon after its writer’s last ticket goes on with it',
      { ...toBot, followsTicket: true },
      { do: 'add-to-last' },
    ],
    [
      'B8 a mention in a direct message opens a ticket also soon after the last one',
      { ...toBot, followsTicket: true, mentionsBot: true },
      { do: 'open' },
    ],
    ['B8 a greeting alone is answered with the help', { ...toBot, isGreeting: true }, { do: 'help' }],
    [
      'B8 so is one in a channel, with a mention',
      { ...root, mentionsBot: true, isGreeting: true },
      { do: 'help' },
    ],
    [
      'B8 and one in a thread',
      { ...reply, hasTicket: false, mentionsBot: true, isGreeting: true },
      { do: 'help' },
    ],
    [
      'B8 and one where every message opens a ticket',
      { ...root, opensEveryMessage: true, isGreeting: true },
      { do: 'help' },
    ],
    [
      'B8 so is one soon after the last ticket: it is no message of that',
      { ...toBot, isGreeting: true, followsTicket: true },
      { do: 'help' },
    ],
    [
      'B8 thanks soon after the last ticket are on it',
      { ...toBot, isThanks: true, followsTicket: true },
      { do: 'add-to-last' },
    ],
    [
      'B8 so is an emoji, which may be a hello too',
      { ...toBot, isGreeting: true, isThanks: true, followsTicket: true },
      { do: 'add-to-last' },
    ],
    ['B8 thanks open no ticket', { ...toBot, isThanks: true }, { do: 'ignore' }],
    ['B8 also not with a mention', { ...root, mentionsBot: true, isThanks: true }, { do: 'ignore' }],
    [
      'B8 nor where every message opens one',
      { ...root, opensEveryMessage: true, isThanks: true },
      { do: 'ignore' },
    ],
    [
      'B8 an answer under the bot’s own words opens a ticket of its own text',
      { ...toBot, isRoot: false },
      { do: 'open', text: 'this' },
    ],
    ['B8 our own words in a direct message open nothing', { ...toBot, isOurs: true }, { do: 'ignore' }],
    [
      'B1 every message of a channel that wants it opens a ticket',
      { ...root, opensEveryMessage: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B1 a reply in a channel that wants every message opens none',
      { ...reply, hasTicket: false, opensEveryMessage: true },
      { do: 'ignore' },
    ],
    [
      'B17 another app’s message in a channel that wants every message opens none',
      { ...root, opensEveryMessage: true, fromBot: true },
      { do: 'ignore' },
    ],
    [
      'B32 a command behind a mention is carried out, and is no reply',
      { ...reply, mentionsBot: true, tells: 'now' },
      { do: 'command' },
    ],
    [
      'B32 one of before the bridge had its tables was carried out then',
      { ...reply, mentionsBot: true, tells: 'before' },
      { do: 'ignore' },
    ],
    ['B21 a join notice is not a message', { ...reply, subtype: 'channel_join' }, { do: 'ignore' }],
  ])('%s', (_, situation, expected) => {
    expect(decideMessage(situation)).toMatchObject(expected);
  });

  test('B17 whatever another app says: nothing of it counts without leave, and it is never answered', () => {
    const flags = Object.fromEntries(
      Object.keys(reply)
        .filter((key) => key !== 'subtype' && key !== 'tells')
        .map((key) => [key, fc.boolean()]),
    ) as Record<Exclude<keyof MessageFacts, 'subtype' | 'tells'>, fc.Arbitrary<boolean>>;
    const situation = fc.record({
      ...flags,
      subtype: fc.constantFrom(undefined, 'bot_message'),
      tells: fc.constantFrom(undefined, 'now', 'before'),
      asks: fc.constantFrom(undefined, 'now', 'before'),
    });
    fc.assert(
      fc.property(situation, (any) => {
        // Who is asked what they need is a person (B6); added without a word is what stands in a ticket's room (B11).
        const said = decideMessage({ ...any, fromBot: true, isAnswer: false });
        expect(['ignore', 'append', 'add-to-last', 'open']).toContain(said.do);
        if (!any.botsAllowed || any.isOurs) expect(said.do).toBe('ignore');
        if (said.do === 'open') expect(any.mentionsBot).toBe(true);
      }),
    );
  });
});
