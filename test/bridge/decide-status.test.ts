import { expect, test } from 'vitest';

import { decideCloseUnanswered, decideReopen } from '../../src/bridge/decide/status.ts';

test.each([
  ['Done', true, true],
  ['Closed', true, true],
  ['Done', false, false],
  ['Open', true, false],
  ['In Progress', true, false],
  ['Waiting', true, false],
])(
  'B22 a message on a ticket that is %s, by its requester: %s, opens it again: %s',
  (group, fromRequester, opens) => {
    expect(decideReopen({ group, fromRequester })).toBe(opens);
  },
);

const by = (author: string | null, deleted = false) => ({ author, deleted });

test.each([
  ['nobody said anything', 'Open', [], true],
  ['only the requester went on', 'Open', [by('ada')], true],
  ['somebody answered', 'Open', [by('ada'), by('ben')], false],
  ['somebody whom the service does not know answered', 'Open', [by(null)], false],
  ['the only answer was taken back', 'In Progress', [by('ben', true)], true],
  ['it is done', 'Done', [], false],
  ['it is closed', 'Closed', [], false],
])('B59 a root that is deleted when %s: the ticket is %s, closes', (_, group, answers, closes) => {
  expect(decideCloseUnanswered({ group, requester: 'ada', answers })).toBe(closes);
});
