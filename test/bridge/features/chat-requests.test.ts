import { expect, test } from 'vitest';

import { turnOf } from '../../../src/bridge/features/chat-requests/rules.ts';

const TEAMS = ['T1', 'T2', 'T3'];

test.each<[string, { teams: string[]; thread: 'here' | 'elsewhere' | 'none' }, number[]]>([
  [
    'without a thread, in the order of the accounts',
    { teams: ['T2', 'T1', 'T2', 'T3'], thread: 'none' },
    [1, 0, 2],
  ],
  [
    'with a thread elsewhere, after the workspace that has it',
    { teams: ['T2', 'T1'], thread: 'elsewhere' },
    [2, 1, 3],
  ],
  ['with the thread here, first', { teams: ['T2', 'T1'], thread: 'here' }, [0, 0, 0]],
])(
  'of the workspaces in which a person has accounts, each has a turn of its own to write: %s',
  (_, facts, turns) => {
    expect(TEAMS.map((own) => turnOf(own, facts))).toEqual(turns);
  },
);

test('the only workspace in which a person has an account writes at once, wherever the thread is', () => {
  for (const thread of ['here', 'elsewhere', 'none'] as const)
    expect(turnOf('T1', { teams: ['T1'], thread })).toBe(0);
});
