import { expect, test } from 'vitest';

import {
  cardReaders,
  cardNotifiesAssignee,
  type CardPolicyFacts,
  wantsTriageCard,
} from '../../../src/bridge/features/cards/rules.ts';
import { planCopies } from '../../../src/bridge/features/cards/send-card.ts';

const fresh: CardPolicyFacts = { private: false, ended: false, assigned: false, silent: false, all: false };

test.each<[string, CardPolicyFacts, boolean, boolean]>([
  ['B26 what nobody has taken gets a card', fresh, false, true],
  ['B26 what somebody has taken gets none', { ...fresh, assigned: true }, false, false],
  ['B26 unless the queue wants all', { ...fresh, assigned: true, all: true }, false, true],
  ['B26 what is done with needs none', { ...fresh, ended: true, all: true }, false, false],
  ['B27 a private ticket gets none where everybody reads', { ...fresh, private: true }, false, false],
  ['B27 a private ticket gets one where only the team reads', { ...fresh, private: true }, true, true],
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
    'B27 who asked elsewhere hears with the first answer',
    [ticket, { ...going, started: false }],
    ['agent', 'friend', 'boss'],
  ],
  ['B27 a public ticket has its thread', [{ ...ticket, private: false }, going], []],
  ['B27 what is done with is told to nobody any more', [ticket, { ...going, ended: true }], []],
  ['B28 a silent queue sends no cards', [ticket, { ...going, silent: true }], []],
])('%s', (_, situation, readers) => {
  expect(cardReaders(...situation)).toEqual(readers);
});

const taken = { ...ticket, approvers: [{ id: 'boss' }] };

test.each<[string, Parameters<typeof cardNotifiesAssignee>, boolean]>([
  ['B27 B43 the card tells whom a private ticket is assigned to', [taken, going], true],
  ['B27 B43 who had a card as a follower is told', [{ ...taken, assigneeId: 'friend' }, going], false],
  ['B27 B43 who had a card as an approver is told', [ticket, going], false],
  ['B27 B43 who asked has their talk, and is told', [{ ...taken, assigneeId: 'asker' }, going], false],
  ['B27 B43 of a public ticket there is no card to tell', [{ ...taken, private: false }, going], false],
  ['B27 B43 of a ticket that is done with there is none either', [taken, { ...going, ended: true }], false],
  ['B27 B43 nobody is nobody', [{ ...taken, assigneeId: null }, going], false],
])('%s', (_, situation, tells) => {
  expect(cardNotifiesAssignee(...situation)).toBe(tells);
});

test('B26 B28 a queue of which a service tells no settings is not silent', async () => {
  const channels = { queue: () => Promise.resolve({}), triagesOf: () => Promise.resolve(['C_TEAM']) };
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
