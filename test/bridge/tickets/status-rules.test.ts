import { expect, test } from 'vitest';

import { decideCloseUnanswered, decideReply, isOnlyThanks } from '../../../src/bridge/tickets/rules.ts';

const DAY_MS = 86_400_000;
const WRITTEN = new Date('2026-03-20T12:00:00Z');
const daysBefore = (days: number) => new Date(WRITTEN.getTime() - days * DAY_MS);
const reply = {
  group: 'Done',
  fromRequester: true,
  onlyThanks: false,
  writtenAt: WRITTEN,
  endedAt: daysBefore(1),
  days: 14,
};

test.each([
  ['on a done ticket, by its requester', {}, 'reopen'],
  ['on a closed ticket', { group: 'Closed' }, 'reopen'],
  ['by another user', { fromRequester: false }, 'stay'],
  ['on an open ticket', { group: 'Open' }, 'stay'],
  ['on a ticket in progress', { group: 'In Progress' }, 'stay'],
  ['on a waiting ticket', { group: 'Waiting' }, 'stay'],
  ['that only thanks', { onlyThanks: true }, 'stay'],
  ['on the 14th day', { endedAt: daysBefore(14) }, 'reopen'],
  ['after more than 14 days', { endedAt: daysBefore(14.01) }, 'follow-up'],
  ['that thanks after more than 14 days', { endedAt: daysBefore(20), onlyThanks: true }, 'stay'],
  ['after years, without a limit for reopening', { endedAt: daysBefore(900), days: 0 }, 'reopen'],
  ['without a resolution date at the service', { endedAt: null }, 'reopen'],
] as const)('B22 a reply %s: %s', (_, more, does) => {
  expect(decideReply({ ...reply, ...more })).toBe(does);
});

test.each([
  'Thanks!',
  'thank you so much',
  'Thanks a lot, that fixed it :tada:',
  'Perfect, thanks <@U0MIRALIND>',
  'thanks Mira!',
  'thx',
  'Vielen Dank!',
  'merci beaucoup',
  'muchas gracias',
  'Tack så mycket',
  'спасибо большое',
  'ありがとうございます',
  'It works now',
  ':+1:',
  '👍 🎉',
  ':heart: :heart:',
])('B22 “%s” only thanks', (text) => {
  expect(isOnlyThanks(text, ['Mira Lind'])).toBe(true);
});

test.each([
  'Thanks, but it is still broken',
  'thanks, and one more thing: the mouse',
  'Is it fixed?',
  'it is not fixed',
  'it does not work',
  'no thanks',
  'thanks Zoe',
  'now',
  'ok',
  'again',
  'https://acme.example/thanks',
  '!!!',
  '',
])('B22 “%s” says more than thanks', (text) => {
  expect(isOnlyThanks(text, ['Mira Lind'])).toBe(false);
});

const by = (author: string | null, deleted = false) => ({ author, deleted });

test.each([
  ['nobody replied', 'Open', [], true],
  ['only the requester replied', 'Open', [by('ada')], true],
  ['another user replied', 'Open', [by('ada'), by('ben')], false],
  ['a user unknown to the service replied', 'Open', [by(null)], false],
  ['the only answer was deleted', 'In Progress', [by('ben', true)], true],
  ['the ticket is done', 'Done', [], false],
  ['the ticket is closed', 'Closed', [], false],
])('B59 a first message that is deleted when %s: the ticket is %s, closes', (_, group, answers, closes) => {
  expect(decideCloseUnanswered({ group, requester: 'ada', answers })).toBe(closes);
});
