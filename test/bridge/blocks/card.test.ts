import { expect, test } from 'vitest';

import { type CardFacts, cardOf, requesterCard } from '../../../src/bridge/blocks/card.ts';

const OPEN: CardFacts = {
  code: 'IT-137',
  url: 'https://desk.example/IT-137',
  title: 'My laptop <does not> start',
  status: 'Open',
  statusGroup: 'Open',
  priority: 'MEDIUM',
  requester: 'Ada Reyes',
  firstName: 'Ada',
  assignee: undefined,
  queue: 'IT',
  private: false,
  firstReply: { at: new Date('2026-11-27T12:00:00Z'), isOver: false },
};
// Each reader sees it in their own time zone.
const BY =
  'You’ll usually hear back <!date^1795780800^by {date_short_pretty} at {time}|by Fri 27 Nov 2026, 12:00 UTC>.';
const CODE = '*<https://desk.example/IT-137|IT-137>*';

const linesOf = ({ blocks }: ReturnType<typeof cardOf>) =>
  blocks.flatMap((block) =>
    block.type === 'section'
      ? [block.text?.text]
      : block.type === 'context'
        ? block.elements.map((element) => ('text' in element ? element.text : ''))
        : [],
  );

test.each<[string, Partial<CardFacts>, string]>([
  ['new', {}, `Thanks, Ada. IT has got it: ${CODE}. ${BY}`],
  [
    'from a queue without reply statistics',
    { firstReply: undefined },
    `Thanks, Ada. IT has got it: ${CODE}.`,
  ],
  [
    'without a queue and with an unnamed requester',
    { queue: undefined, firstName: undefined, firstReply: undefined },
    `Thanks. The team has got it: ${CODE}.`,
  ],
  [
    'not answered by then',
    { firstReply: { at: new Date('2026-11-27T12:00:00Z'), isOver: true } },
    `Thanks, Ada. IT has got it: ${CODE}. This is taking longer than usual.`,
  ],
  ['taken', { assignee: 'Mira Lind' }, `Thanks, Ada. Mira Lind has got it: ${CODE}. ${BY}`],
  ['in progress', { statusGroup: 'In Progress', assignee: 'Mira Lind' }, `Mira Lind is working on ${CODE}.`],
  ['waiting', { statusGroup: 'Waiting' }, `${CODE} is on hold. Reply here if IT asked you for something.`],
  [
    'snoozed, which is the team’s own matter',
    { snoozedUntil: new Date('2026-11-24T08:00:00Z') },
    `Thanks, Ada. IT has got it: ${CODE}. ${BY}`,
  ],
  ['reopened', { reopened: true }, `${CODE} is open again. IT has your new message.`],
  [
    'declined while somebody works on it',
    { statusGroup: 'In Progress', assignee: 'Mira Lind', approval: 'declined', decidedBy: 'Sam Parks' },
    `${CODE} was declined by Sam Parks. Reply here if you have questions.`,
  ],
  [
    'declined while it is on hold',
    { statusGroup: 'Waiting', approval: 'declined' },
    `${CODE} was declined. Reply here if you have questions.`,
  ],
  ['done', { statusGroup: 'Done' }, `${CODE} is done. Reply here if you still need help.`],
  ['closed', { statusGroup: 'Closed' }, `${CODE} is closed. Reply here if you still need help.`],
  [
    'merged',
    { statusGroup: 'Closed', mergedInto: { code: 'IT-9', url: 'https://desk.example/IT-9', ended: false } },
    `${CODE} continues as *<https://desk.example/IT-9|IT-9>*. What you write here is added to *<https://desk.example/IT-9|IT-9>*.`,
  ],
])('B25 the requester’s card has the right sentence for a request: %s', (_, facts, says) => {
  const [head, , title] = linesOf(requesterCard({ ...OPEN, ...facts }));
  expect(head).toBe(says);
  expect(title).toBe('My laptop <does not> start');
});

test('B26 the team’s card quotes the request where its title does not say it all', () => {
  const quotes = (words?: string) =>
    cardOf({ ...OPEN, words }).blocks.flatMap((block) =>
      block.type === 'rich_text'
        ? block.elements.flatMap((one) => (one.type === 'rich_text_quote' ? one.elements : []))
        : [],
    );
  expect(quotes('My laptop *does not* start. The light is off.')).toEqual([
    { type: 'text', text: 'My laptop *does not* start. The light is off.' },
  ]);
  expect(quotes('word '.repeat(1_000))).toEqual([
    { type: 'text', text: expect.stringMatching(/^.{500,600}…$/) as unknown },
  ]);
  expect(quotes()).toEqual([]);
});

test('B25 B26 an assigned ticket has no button to take it, and only the team gets the team’s controls', () => {
  const own = { ticketId: 'tkt_1', version: 'v' };
  const statuses = [{ id: 'sts_1', label: 'Open' }];
  const team = { ...own, for: 'team' as const, statusId: 'sts_1', statuses, triage: false };
  const actions = ({ blocks }: ReturnType<typeof cardOf>) =>
    blocks.flatMap((block) =>
      block.type === 'actions'
        ? block.elements.map((element) => ('action_id' in element ? element.action_id : ''))
        : [],
    );
  expect(actions(cardOf(OPEN, { ...team, unassigned: true }))).toEqual([
    'card_assign_me',
    'card_status',
    'card_manage',
  ]);
  expect(actions(cardOf(OPEN, { ...team, unassigned: false }))).toEqual(['card_status', 'card_manage']);
  expect(actions(cardOf(OPEN, { ...own, for: 'reader' }))).toEqual(['card_manage']);
  expect(actions(requesterCard(OPEN, { ...own, for: 'requester', ended: false }))).toEqual([
    'card_add_details',
    'card_close',
    'card_manage',
  ]);
  // Where only its requester sees it, Manage would offer nothing that is not there already.
  const alone = { ...own, for: 'requester' as const, alone: true };
  expect(actions(requesterCard(OPEN, { ...alone, ended: false }))).toEqual([
    'card_add_details',
    'card_close',
  ]);
  expect(actions(requesterCard(OPEN, { ...alone, ended: true }))).toEqual(['card_reopen']);
  expect(actions(requesterCard(OPEN, { ...own, for: 'requester', ended: true }))).toEqual([
    'card_reopen',
    'card_manage',
  ]);
});

test.each<[string, Partial<CardFacts>, string | undefined]>([
  ['of a queue for everyone', { readers: 'workspace', askedIn: 'C1' }, undefined],
  ['private', { private: true, readers: 'team' }, ':lock: private'],
  ['of a team', { readers: 'team' }, ':lock: only its team and those who take part'],
  ['of agents', { readers: 'agents' }, ':lock: only agents and those who take part'],
  [
    'of a team, asked in a channel',
    { readers: 'team', askedIn: 'C1' },
    ':eyes: its team, and everyone who reads <#C1>',
  ],
  [
    'of agents, asked in a channel',
    { readers: 'agents', askedIn: 'C1' },
    ':eyes: agents, and everyone who reads <#C1>',
  ],
])('B0 B24 a card has a lock only where no channel reads the ticket: %s', (_, facts, says) => {
  for (const drawn of [cardOf({ ...OPEN, ...facts }), requesterCard({ ...OPEN, ...facts })]) {
    const marks = linesOf(drawn)
      .flatMap((line) => line?.split('  ·  ') ?? [])
      .filter((part) => /^:(?:lock|eyes):/.test(part));
    expect(marks).toEqual(says === undefined ? [] : [says]);
  }
});
