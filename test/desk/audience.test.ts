import { expect, test } from 'vitest';

import { audienceOf } from '../../src/ui/desk/ticket/audience.ts';

type Threads = Parameters<typeof audienceOf>[0]['chatThreads'];

test.each([
  ['a direct message', false, [['REQUEST', 'D1']], { of: 'directMessage' }],
  ['a channel', false, [['REQUEST', 'C1']], { of: 'channel', channelId: 'C1' }],
  [
    'a direct message and a channel',
    false,
    [
      ['REQUEST', 'D1'],
      ['REQUEST', 'C1'],
    ],
    { of: 'channel', channelId: 'C1' },
  ],
  ['a private channel', false, [['REQUEST', 'G1']], { of: 'channel', channelId: 'G1' }],
  ['only the team’s thread', false, [['TRIAGE', 'C2']], { of: 'desk' }],
  [
    'the team’s thread and a direct message',
    false,
    [
      ['TRIAGE', 'C2'],
      ['REQUEST', 'D1'],
    ],
    { of: 'directMessage' },
  ],
  ['no thread', false, [], { of: 'desk' }],
  ['a channel, but private', true, [['REQUEST', 'C1']], { of: 'private' }],
] as const)('who reads a reply on a ticket: %s', (_, isPrivate, threads, audience) => {
  const chatThreads = threads.map(([type, channelId]) => ({ type, channelId })) as unknown as Threads;
  expect(audienceOf({ private: isPrivate, chatThreads })).toEqual(audience);
});
