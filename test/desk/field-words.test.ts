import { expect, test } from 'vitest';

import { fieldWords } from '../../src/ui/desk/settings/audit-log/field-words.ts';

test.for([
  ['data.priority', 'Priority'],
  ['settings.enableCSAT', 'Satisfaction rating'],
  ['settings.autoCreateTickets', 'Auto create tickets'],
  ['targets.NO_PRIORITY.responseMinutes', 'Targets, no priority, first reply in minutes'],
  ['defaultQueueId', 'Default queue'],
  ['queueIds', 'Queues'],
  ['new-field', 'New field'],
  ['settings', 'Settings'],
])('the audit log says %s as “%s”', ([path = '', words]) => {
  const known: Record<string, string> = {
    enableCSAT: 'satisfaction rating',
    responseMinutes: 'first reply in minutes',
  };
  expect(fieldWords(path, (part) => known[part])).toBe(words);
});
