import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { reasonOf } from '../../../src/bridge/features/delivery-status/rules.ts';
import { decideMessage, type MessageFacts } from '../../../src/bridge/threads/rules.ts';
import { REPLY as reply } from './reply-facts.ts';

const root: MessageFacts = { ...reply, isRoot: true, hasTicket: false };
const toBot: MessageFacts = { ...root, isToBot: true };
/** A message of another app where apps are allowed. */
const ofApp = { fromBot: true, botsAllowed: true };

describe('treatment of a new chat message', () => {
  test.each<[string, MessageFacts, { do: string; text?: string }]>([
    [
      'B1 a first message that mentions the bot opens a ticket',
      { ...root, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B4 a mention in a thread opens the ticket on the first message',
      { ...reply, hasTicket: false, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B4 a bare mention in a thread opens the ticket on the first message',
      { ...reply, hasTicket: false, mentionsBot: true, hasContent: false },
      { do: 'open', text: 'root' },
    ],
    [
      'B6 a first message with only the mention is asked about',
      { ...root, mentionsBot: true, hasContent: false },
      { do: 'ask' },
    ],
    [
      'B6 a first message with only the mention and other names is asked about',
      { ...root, mentionsBot: true, onlyNames: true },
      { do: 'ask' },
    ],
    ['B6 a direct message with only names is asked about', { ...toBot, onlyNames: true }, { do: 'ask' }],
    [
      'B4 a mention with only names in a thread opens the ticket on the first message',
      { ...reply, hasTicket: false, mentionsBot: true, onlyNames: true },
      { do: 'open', text: 'root' },
    ],
    ['B12 a reply with only names is on the ticket', { ...reply, onlyNames: true }, { do: 'append' }],
    [
      'B6 an answer with only names does not count',
      { ...reply, hasTicket: false, isAnswer: true, onlyNames: true },
      { do: 'ignore' },
    ],
    [
      'B6 the answer of the asked person describes the ticket',
      { ...reply, hasTicket: false, isAnswer: true },
      { do: 'open', text: 'this' },
    ],
    [
      'B6 an empty answer does not count',
      { ...reply, hasTicket: false, isAnswer: true, hasContent: false },
      { do: 'ignore' },
    ],
    [
      'B6 the first message of a ticket is its description, not a message',
      { ...reply, isRoot: true },
      { do: 'ignore' },
    ],
    ['B12 a reply in a ticket’s thread is added to the ticket', reply, { do: 'append' }],
    [
      'B12 a broadcast reply is one message like any other (B60)',
      { ...reply, subtype: 'thread_broadcast' },
      { do: 'append' },
    ],
    ['B12 a linked reply is not added again', { ...reply, isLinked: true }, { do: 'ignore' }],
    [
      'B12 a reply that was deleted before it was forwarded is ignored',
      { ...reply, isDeleted: true },
      { do: 'ignore' },
    ],
    ['B12 a reply in a thread without a ticket is ignored', { ...reply, hasTicket: false }, { do: 'ignore' }],
    [
      'B2 a mention with words in a ticket’s thread is an ordinary reply',
      { ...reply, mentionsBot: true },
      { do: 'append' },
    ],
    [
      'B2 a bare mention in a ticket’s thread is answered with the existing ticket',
      { ...reply, mentionsBot: true, hasContent: false },
      { do: 'say-already' },
    ],
    [
      'B16 our own post is never forwarded, even if it mentions the bot',
      { ...reply, isOurs: true, fromBot: true, mentionsBot: true },
      { do: 'ignore' },
    ],
    ['B17 another app’s message is not forwarded', { ...reply, fromBot: true }, { do: 'ignore' }],
    [
      'B17 another app’s mention of the bot opens no ticket',
      { ...root, fromBot: true, mentionsBot: true },
      { do: 'ignore' },
    ],
    ['B17 an allowed app’s reply is added to the ticket', { ...reply, ...ofApp }, { do: 'append' }],
    [
      'B17 an allowed app opens a ticket by a mention',
      { ...root, ...ofApp, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B17 an allowed app opens a ticket on a thread by a mention in it',
      { ...reply, ...ofApp, hasTicket: false, mentionsBot: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B17 an allowed app that only mentions the bot is not asked what it needs',
      { ...root, ...ofApp, mentionsBot: true, hasContent: false },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app that only mentions the bot in a ticket’s thread gets no answer',
      { ...reply, ...ofApp, mentionsBot: true, hasContent: false },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app opens nothing without a mention where every message opens a ticket',
      { ...root, ...ofApp, opensEveryMessage: true },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app opens nothing without a mention in a direct message',
      { ...toBot, ...ofApp },
      { do: 'ignore' },
    ],
    [
      'B17 an allowed app’s greeting is not answered',
      { ...toBot, ...ofApp, isGreeting: true },
      { do: 'ignore' },
    ],
    [
      'B16 our own post is never another app’s, even where apps are allowed',
      { ...reply, ...ofApp, isOurs: true },
      { do: 'ignore' },
    ],
    ['B8 a direct message to the bot opens a ticket', toBot, { do: 'open', text: 'root' }],
    [
      'B8 a direct message soon after its author’s last ticket is added to that ticket',
      { ...toBot, followsTicket: true },
      { do: 'add-to-last' },
    ],
    [
      'B8 a mention in a direct message always opens a ticket',
      { ...toBot, followsTicket: true, mentionsBot: true },
      { do: 'open' },
    ],
    ['B8 a greeting alone is answered with the help', { ...toBot, isGreeting: true }, { do: 'greet' }],
    [
      'B8 a greeting with a mention in a channel is answered with the help',
      { ...root, mentionsBot: true, isGreeting: true },
      { do: 'greet' },
    ],
    [
      'B8 a greeting with a mention in a thread is answered with the help',
      { ...reply, hasTicket: false, mentionsBot: true, isGreeting: true },
      { do: 'greet' },
    ],
    [
      'B8 a greeting where every message opens a ticket is answered with the help',
      { ...root, opensEveryMessage: true, isGreeting: true },
      { do: 'greet' },
    ],
    [
      'B8 a greeting soon after the last ticket is answered with the help and not added',
      { ...toBot, isGreeting: true, followsTicket: true },
      { do: 'greet' },
    ],
    [
      'B8 thanks soon after the last ticket are added to it',
      { ...toBot, isThanks: true, followsTicket: true },
      { do: 'add-to-last' },
    ],
    [
      'B8 an emoji soon after the last ticket is added to it, though it may be a greeting',
      { ...toBot, isGreeting: true, isThanks: true, followsTicket: true },
      { do: 'add-to-last' },
    ],
    ['B8 thanks open no ticket', { ...toBot, isThanks: true }, { do: 'ignore' }],
    [
      'B8 thanks with a mention open no ticket',
      { ...root, mentionsBot: true, isThanks: true },
      { do: 'ignore' },
    ],
    [
      'B8 thanks open no ticket where every message opens one',
      { ...root, opensEveryMessage: true, isThanks: true },
      { do: 'ignore' },
    ],
    [
      'B8 a reply to a message of the bot opens a ticket with its own text',
      { ...toBot, isRoot: false },
      { do: 'open', text: 'this' },
    ],
    [
      'B8 our own messages in a direct conversation open nothing',
      { ...toBot, isOurs: true },
      { do: 'ignore' },
    ],
    [
      'B1 every message opens a ticket in a channel with that setting',
      { ...root, opensEveryMessage: true },
      { do: 'open', text: 'root' },
    ],
    [
      'B1 a reply opens no ticket in a channel with that setting',
      { ...reply, hasTicket: false, opensEveryMessage: true },
      { do: 'ignore' },
    ],
    [
      'B17 another app’s message opens no ticket in a channel with that setting',
      { ...root, opensEveryMessage: true, fromBot: true },
      { do: 'ignore' },
    ],
    [
      'B32 a command after a mention is run and is not a reply',
      { ...reply, mentionsBot: true, tells: 'now' },
      { do: 'command' },
    ],
    [
      'B32 a command from before the bridge’s tables existed was already run',
      { ...reply, mentionsBot: true, tells: 'before' },
      { do: 'ignore' },
    ],
    ['B21 a join notice is not a message', { ...reply, subtype: 'channel_join' }, { do: 'ignore' }],
  ])('%s', (_, situation, expected) => {
    expect(decideMessage(situation)).toMatchObject(expected);
  });

  const flags = Object.fromEntries(
    Object.keys(reply)
      .filter((key) => key !== 'subtype' && key !== 'tells')
      .map((key) => [key, fc.boolean()]),
  ) as Record<Exclude<keyof MessageFacts, 'subtype' | 'tells'>, fc.Arbitrary<boolean>>;
  const anyMessage = fc.record({
    ...flags,
    subtype: fc.constantFrom(undefined, 'bot_message', 'channel_join'),
    tells: fc.constantFrom(undefined, 'now', 'before'),
  });

  test('B17 a message of another app counts only where apps are allowed, and is never answered', () => {
    fc.assert(
      fc.property(anyMessage, (any) => {
        // Only people are asked what they need (B6); a message without a mention is only added in a ticket's
        // private channel (B11).
        const said = decideMessage({ ...any, fromBot: true, isAnswer: false });
        expect(['ignore', 'append', 'add-to-last', 'open']).toContain(said.do);
        if (!any.botsAllowed || any.isOurs) expect(said.do).toBe('ignore');
        if (said.do === 'open') expect(any.mentionsBot).toBe(true);
      }),
    );
  });

  test('B55 every decision about a message can be explained by its rule', () => {
    fc.assert(
      fc.property(anyMessage, (any) => {
        const said = decideMessage(any);
        // This one is decided again in the thread of its ticket.
        if (said.do !== 'add-to-last') expect(reasonOf(said.why).says).toMatch(/\(rule B\d+\)$/);
      }),
    );
  });
});
