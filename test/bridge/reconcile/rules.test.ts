import { describe, expect, test } from 'vitest';

import {
  differences,
  type LinkFacts,
  type ListedFacts,
  type ThreadFacts,
} from '../../../src/bridge/reconcile/rules.ts';

const ROOT = '1700000000.000100';
const at = (n: number) => `17000000${String(10 + n)}.000100`;

const listed = (ts: string, more: Partial<ListedFacts> = {}): ListedFacts => ({
  ts,
  subtype: undefined,
  isOurs: false,
  key: `new:${ts}`,
  edit: undefined,
  ...more,
});
const link = (ts: string, more: Partial<LinkFacts> = {}): LinkFacts => ({
  ts,
  origin: 'chat',
  version: null,
  deleted: false,
  ...more,
});
const facts = (more: Partial<ThreadFacts> = {}): ThreadFacts => ({
  rootTs: ROOT,
  describedTs: ROOT,
  describedByEdit: null,
  links: [],
  stored: new Set(),
  since: '1600000000.000000',
  until: '1800000000.000000',
  deletionKey: (ts) => `gone:${ts}`,
  ...more,
});
const editOf = (ts: string) => ({ ts, key: `edit:${ts}` });

describe('B50 changes in chat that no event reported', () => {
  test.each<[string, ListedFacts[], Partial<ThreadFacts>, Partial<ReturnType<typeof differences>>]>([
    [
      'a reply without link or event is missed',
      [listed(at(1))],
      {},
      { missed: [at(1)], edited: [], gone: [] },
    ],
    [
      'a reply whose event waits in its ordering key is not missed',
      [listed(at(1))],
      { stored: new Set([`new:${at(1)}`]) },
      { missed: [], edited: [], gone: [] },
    ],
    [
      'a linked reply is not missed',
      [listed(at(1))],
      { links: [link(at(1))] },
      { missed: [], edited: [], gone: [] },
    ],
    [
      'the parent message and our own posts are never missed',
      [listed(ROOT), listed(at(1), { isOurs: true })],
      {},
      { missed: [], edited: [], gone: [] },
    ],
    [
      'a system message of Slack is never missed',
      [listed(at(1), { subtype: 'channel_join' })],
      {},
      { missed: [], edited: [], gone: [] },
    ],
    [
      'messages older than the stored events are ignored',
      [listed(at(1))],
      { since: at(2) },
      { missed: [], edited: [], gone: [] },
    ],
    [
      'messages whose event may still arrive are looked at again',
      [listed(at(1)), listed(at(2))],
      { until: at(1) },
      { missed: [at(1)], young: [at(2)], edited: [], gone: [] },
    ],
    [
      'of the messages whose event may still arrive, those that never are missed are not looked at again',
      [
        listed(at(2)),
        listed(at(3), { isOurs: true }),
        listed(at(4), { subtype: 'channel_join' }),
        listed(at(5)),
        listed(at(6)),
      ],
      { until: at(1), links: [link(at(2))], stored: new Set([`new:${at(5)}`]), describedTs: at(6) },
      { missed: [], young: [], edited: [], gone: [] },
    ],
    [
      'an edit newer than the link’s version is found',
      [listed(at(1), { edit: editOf('1700000050.000000') })],
      { links: [link(at(1), { version: '1700000040.000000' })] },
      { missed: [], edited: [at(1)], gone: [] },
    ],
    [
      'the first edit is found, even within the second in which its message was written',
      [listed(at(1), { edit: editOf('1700000000.000000') })],
      { links: [link(at(1))] },
      { missed: [], edited: [at(1)], gone: [] },
    ],
    [
      'an edit that the link already has, or an older one, is not found',
      [
        listed(at(1), { edit: editOf('1700000040.000000') }),
        listed(at(2), { edit: editOf('1700000040.000000') }),
      ],
      {
        links: [link(at(1), { version: '1700000040.000000' }), link(at(2), { version: '1700000050.000000' })],
        stored: new Set(['edit:1700000040.000000']),
      },
      { missed: [], edited: [], gone: [] },
    ],
    [
      'a second edit within the second of the link’s version is found',
      [listed(at(1), { edit: editOf('1700000040.000000') })],
      { links: [link(at(1), { version: '1700000040.000000' })], stored: new Set(['edit:another']) },
      { missed: [], edited: [at(1)], gone: [] },
    ],
    [
      'an edit that the link has is not found again after its event was pruned',
      [listed(at(1), { edit: editOf('1700000040.000000') })],
      { links: [link(at(1), { version: '1700000040.000000' })], since: '1700000060.000000' },
      { missed: [], edited: [], gone: [] },
    ],
    [
      'an edit of the description is found by the version of the description',
      [listed(ROOT, { edit: editOf('1700000050.000000') })],
      { describedByEdit: '1700000040.000000' },
      { missed: [], edited: [ROOT], gone: [] },
    ],
    [
      'an edit of a message that was deleted on the ticket is ignored',
      [listed(at(1), { edit: editOf('1700000050.000000') })],
      { links: [link(at(1), { deleted: true })] },
      { missed: [], edited: [], gone: [] },
    ],
    [
      'a linked message that is no longer listed is deleted, from either side',
      [listed(ROOT)],
      { links: [link(at(1)), link(at(2), { origin: 'service' })] },
      { missed: [], edited: [], gone: [at(1), at(2)] },
    ],
    [
      'a known deletion is not reported again',
      [listed(ROOT)],
      { links: [link(at(1), { deleted: true }), link(at(2))], stored: new Set([`gone:${at(2)}`]) },
      { missed: [], edited: [], gone: [] },
    ],
  ])('%s', (_, messages, more, expected) => {
    expect(differences(messages, facts(more))).toEqual({ young: [], ...expected });
  });
});
