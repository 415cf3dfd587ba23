import { expect, test } from 'vitest';

import {
  cardReaders,
  cardNotifiesAssignee,
  type CardPolicyFacts,
  wantsTriageCard,
} from '../../../src/bridge/features/cards/rules.ts';
import { planCopies } from '../../../src/bridge/features/cards/send-card.ts';

const fresh: CardPolicyFacts = {
  restricted: false,
  ended: false,
  assigned: false,
  silent: false,
  all: false,
};

test.each<[string, CardPolicyFacts, boolean, boolean]>([
  ['B26 an unassigned ticket gets a card', fresh, false, true],
  ['B26 an assigned ticket gets none', { ...fresh, assigned: true }, false, false],
  [
    'B26 an assigned ticket gets one where the queue wants all',
    { ...fresh, assigned: true, all: true },
    false,
    true,
  ],
  ['B26 a finished ticket gets none', { ...fresh, ended: true, all: true }, false, false],
  [
    'B27 a ticket that not everyone may read gets none in a public channel',
    { ...fresh, restricted: true },
    false,
    false,
  ],
  [
    'B27 a ticket that not everyone may read gets one in a private triage channel',
    { ...fresh, restricted: true },
    true,
    true,
  ],
  ['B28 a silent queue gets none', { ...fresh, silent: true, all: true }, true, false],
])('%s', (_, situation, channelIsPrivate, wanted) => {
  expect(wantsTriageCard(situation, channelIsPrivate)).toBe(wanted);
});

const ticket = {
  private: true,
  requesterId: 'asker',
  authorId: 'author',
  assigneeId: 'agent',
  approvers: [{ id: 'boss' }, { id: 'agent' }],
  followers: [{ id: 'friend' }, { id: 'asker' }],
};
const going = { ended: false, silent: false, started: true };

test.each<[string, Parameters<typeof cardReaders>, string[]]>([
  [
    'B27 requester, assignee, followers and approvers get a card, each once',
    [ticket, going],
    ['asker', 'agent', 'friend', 'boss'],
  ],
  [
    'B27 a requester from outside of chat is notified with the first answer',
    [ticket, { ...going, started: false }],
    ['agent', 'friend', 'boss'],
  ],
  ['B27 a public ticket has its thread instead', [{ ...ticket, private: false }, going], []],
  ['B27 a finished ticket sends no cards', [ticket, { ...going, ended: true }], []],
  ['B28 a silent queue sends no cards', [ticket, { ...going, silent: true }], []],
])('%s', (_, situation, readers) => {
  expect(cardReaders(...situation)).toEqual(readers);
});

const taken = { ...ticket, approvers: [{ id: 'boss' }] };

test.each<[string, Parameters<typeof cardNotifiesAssignee>, boolean]>([
  ['B27 B43 the card notifies the new assignee of a private ticket', [taken, going], true],
  [
    'B27 B43 a follower, who already had a card, is notified separately',
    [{ ...taken, assigneeId: 'friend' }, going],
    false,
  ],
  ['B27 B43 an approver, who already had a card, is notified separately', [ticket, going], false],
  [
    'B27 B43 a requester, who already has the thread, is notified separately',
    [{ ...taken, assigneeId: 'asker' }, going],
    false,
  ],
  ['B27 B43 a public ticket has no card that could notify', [{ ...taken, private: false }, going], false],
  ['B27 B43 a finished ticket has none either', [taken, { ...going, ended: true }], false],
  ['B27 B43 without an assignee nobody is notified', [{ ...taken, assigneeId: null }, going], false],
])('%s', (_, situation, tells) => {
  expect(cardNotifiesAssignee(...situation)).toBe(tells);
});

test('B26 B28 a queue is not silent if the service returns no settings', async () => {
  const channels = {
    queue: () => Promise.resolve({}),
    isForEveryone: () => Promise.resolve(true),
    triagesOf: () => Promise.resolve(['C_TEAM']),
  };
  const [bridge, fresh] = [
    { channels },
    { ...ticket, private: false, queueId: 'que_1', assigneeId: null, archivedAt: null },
  ];
  const planned = await planCopies(
    bridge as unknown as Parameters<typeof planCopies>[0],
    { firstAttempt: true, receivedAt: new Date() },
    { ...fresh, status: { statusGroup: { label: 'Open' } } } as unknown as Parameters<typeof planCopies>[2],
    { request: undefined, existing: [] },
  );
  expect(planned).toBeDefined();
});
