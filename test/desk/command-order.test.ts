import { expect, test } from 'vitest';

import { listed, matchCommands } from '../../src/ui/desk/shell/command-order.ts';

const command = (id: string, label: string, group = 'Ticket') => ({ id, label, group, run: () => undefined });
const labels = (commands: readonly { label: string }[]) => commands.map(({ label }) => label);

test('the open ticket’s commands come first, the most wanted before the others, and the rest keeps its order', () => {
  const commands = [
    command('go-inbox', 'Inbox', 'Go to'),
    command('back', 'Back to the list', 'List'),
    command('copy-link', 'Copy link'),
    command('go-open', 'Open', 'Go to'),
    command('status', 'Status…'),
    command('assignee', 'Assignee…'),
  ];
  expect(labels(listed(commands, ['Ticket', 'List']))).toEqual([
    'Assignee…',
    'Status…',
    'Copy link',
    'Back to the list',
    'Inbox',
    'Open',
  ]);
  // The same acts on the current row of a list have ids of their own.
  const ofRow = [command('snooze-current', 'Snooze'), command('assignee-current', 'Assign')];
  expect(labels(listed(ofRow, ['Ticket']))).toEqual(['Assign', 'Snooze']);
});

test('a label that begins like the text comes first, then one with such words; parts of words and groups come below tickets', () => {
  const commands = [
    command('one', 'Unassigned', 'Go to'),
    command('two', 'Show what is assigned'),
    command('three', 'Assign to…'),
    command('four', 'Other', 'Assignments'),
    command('five', 'Status'),
  ];
  const { strong, weak } = matchCommands(commands, 'ASSIGN');
  expect(labels(strong)).toEqual(['Assign to…', 'Show what is assigned']);
  expect(labels(weak)).toEqual(['Unassigned', 'Other']);
  expect(labels(matchCommands(commands, 'assigned what').strong)).toEqual(['Show what is assigned']);
  expect(matchCommands(commands, '').strong).toHaveLength(commands.length);
});
