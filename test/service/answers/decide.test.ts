import { describe, expect, test } from 'vitest';

import {
  decideAnswer,
  type AgentSettings,
  type QueueAgentSettings,
  type MessageFacts,
} from '../../../src/service/answers/decide.ts';
import { similarityThreshold, similarity } from '../../../src/service/answers/similarity.ts';
import { passagesIn } from '../../../src/service/answers/paragraphs.ts';
import { isSmallTalk } from '../../../src/service/answers/small-talk.ts';

const QUEUE: QueueAgentSettings = {
  aiEnabled: true,
  respondOnMessage: 'all-messages',
  respondOnMention: true,
};
const AGENT: AgentSettings = {
  id: 'agt_1',
  enabled: true,
  worksHere: true,
  respondOnMessage: 'all-messages',
  respondOnMention: true,
  onlyRespondToRequests: false,
  availableInDM: false,
};
const TICKET: MessageFacts['ticket'] = {
  disableAIResponse: false,
  ended: false,
  direct: false,
  assignedAgentId: null,
  assignedSince: false,
  claimed: false,
  othersReplied: false,
};

interface Change {
  queue?: Partial<QueueAgentSettings>;
  agent?: Partial<AgentSettings>;
  ticket?: Partial<MessageFacts['ticket']>;
  asked?: Partial<Omit<MessageFacts, 'ticket'>>;
}

function decided({ queue, agent, ticket, asked }: Change) {
  const situation: MessageFacts = {
    kind: 'opening',
    text: 'The VPN drops',
    mentioned: false,
    isPublic: true,
    superseded: false,
    ...asked,
    ticket: { ...TICKET, ...ticket },
  };
  return decideAnswer({ ...QUEUE, ...queue }, { ...AGENT, ...agent }, situation);
}

const message = { kind: 'message' } as const;
const mentioned = { mentioned: true } as const;

describe('whether an AI agent answers', () => {
  test.each<[what: string, change: Change, answers: boolean, why: RegExp]>([
    ['the message that opens a ticket', {}, true, /respondOnMessage/],
    ['a following message', { asked: message }, true, /respondOnMessage/],
    ['a queue without respondOnMessage', { queue: { respondOnMessage: null }, asked: message }, true, /./],
    ['a queue without AI agents', { queue: { aiEnabled: false } }, false, /aiEnabled/],
    ['a disabled agent', { agent: { enabled: false } }, false, /enabled/],
    ['an agent of another queue', { agent: { worksHere: false } }, false, /queue/],
    ['a ticket of this agent', { ticket: { assignedAgentId: 'agt_1' } }, true, /./],
    ['a ticket of another agent', { ticket: { assignedAgentId: 'agt_2' } }, false, /another AI agent/],
    [
      'a ticket that was handed over',
      { ticket: { disableAIResponse: true }, asked: mentioned },
      false,
      /disableAIResponse/,
    ],
    ['an ended ticket', { ticket: { ended: true } }, false, /not open/],
    ['a person who was assigned', { ticket: { assignedSince: true }, asked: mentioned }, false, /assigned/],
    ['an active claim', { ticket: { claimed: true }, asked: mentioned }, false, /answering/],
    ['a person who answered', { ticket: { othersReplied: true }, asked: mentioned }, false, /answered/],
    ['a message that is not public', { asked: { isPublic: false } }, false, /not a public message/],
    ['a direct message', { ticket: { direct: true } }, false, /availableInDM/],
    ['a direct message, allowed', { ticket: { direct: true }, agent: { availableInDM: true } }, true, /./],
    ['channel-messages, the first message', { agent: { respondOnMessage: 'channel-messages' } }, true, /./],
    [
      'channel-messages, a following message',
      { queue: { respondOnMessage: 'channel-messages' }, asked: message },
      false,
      /respondOnMessage/,
    ],
    ['no-messages', { agent: { respondOnMessage: 'no-messages' } }, false, /respondOnMessage/],
    [
      'no-messages, mentioned by name',
      { agent: { respondOnMessage: 'no-messages' }, asked: mentioned },
      true,
      /respondOnMention/,
    ],
    [
      'mentioned by name where the queue has that off',
      { queue: { respondOnMessage: 'no-messages', respondOnMention: false }, asked: mentioned },
      false,
      /respondOnMessage/,
    ],
    [
      'mentioned by name where the agent has that off',
      { agent: { respondOnMessage: 'no-messages', respondOnMention: false }, asked: mentioned },
      false,
      /respondOnMessage/,
    ],
    ['thanks', { asked: { ...message, text: 'Thanks a lot :pray:' } }, true, /./],
    [
      'thanks, to an agent for requests',
      { agent: { onlyRespondToRequests: true }, asked: { ...message, text: 'Thanks a lot :pray:' } },
      false,
      /small talk/,
    ],
    ['a request, to an agent for requests', { agent: { onlyRespondToRequests: true } }, true, /./],
    ['a message superseded by a later one', { asked: { superseded: true } }, false, /later message/],
  ])('B42 %s', (_, change, answers, why) => {
    expect(decided(change)).toMatchObject({ answers, why: expect.stringMatching(why) as string });
  });

  test.each([
    ['Hello!', true],
    ['Guten Morgen zusammen', false],
    ['Danke, passt', true],
    [':+1:', true],
    ['[@Patch](user:usr_1) thanks', true],
    ['Works?', false],
    ['Thanks, and the printer', false],
    ['404', false],
  ])('B42 “%s” is small talk: %s', (text, is) => {
    expect(isSmallTalk(text)).toBe(is);
  });
});

test('B42 a passage answers above the documented threshold: words in its title count twice, of a long question eight are counted', () => {
  const about = { title: ['vpn', 'drop'], text: ['instal', 'minut'] };
  expect(similarity(['vpn', 'minut', 'cat', 'vpn'], about)).toBe(3);
  expect(similarityThreshold(['vpn'])).toBe(2);
  expect(similarityThreshold(['a', 'b', 'c', 'd', 'e'])).toBe(3);
  expect(similarityThreshold(Array.from({ length: 40 }, (_, at) => `w${at}`))).toBeCloseTo(4.8);
});

test('B42 a document is split into whole paragraphs, and a code fence is never split', () => {
  const long = 'word '.repeat(150).trim();
  expect(passagesIn('One.\n\nTwo.')).toEqual(['One.\n\nTwo.']);
  expect(passagesIn(`${long}\n\n${long}`)).toEqual([long, long]);
  const fence = `\`\`\`\n${long}\n\n${long}\n\`\`\``;
  expect(passagesIn(`Do this:\n\n${fence}`)).toEqual(['Do this:', fence]);
  expect(passagesIn(' \n\n')).toEqual([]);
});
