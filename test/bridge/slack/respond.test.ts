import { expect, test } from 'vitest';

import { refusedAnswer, respond } from '../../../src/bridge/slack/respond.ts';
import { checkChat } from '../../../src/bridge/health/check-chat.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { HEALTHY_CHAT } from '../health/chat-facts.ts';

const log = createLog({ level: 'silent', pretty: false });
const NOW = new Date('2026-01-05T09:00:00.000Z');

test('a response to a URL that is not Slack’s is not sent, and the doctor names the URL', async () => {
  const { database } = await bridgeDatabase(2);
  const bridge = { log, database, clock: { now: () => NOW }, answersFrom: ['https://hooks.slack.com'] };
  expect(await refusedAnswer(database.db)).toBeUndefined();

  // Nothing listens there, so a request would fail.
  await respond(bridge, 'http://127.0.0.1:9/commands/T1/2/secret', { text: 'Hello' });
  const refused = await refusedAnswer(database.db);
  expect(refused).toEqual({ origin: 'http://127.0.0.1:9', at: NOW });

  const finding = checkChat({ ...HEALTHY_CHAT, refusedAnswer: refused?.origin }).find(
    ({ id }) => id === 'chat.answers',
  );
  expect(finding).toMatchObject({
    state: 'warn',
    says: expect.stringContaining('http://127.0.0.1:9') as string,
  });
  expect(finding?.fix).toContain('SLACK_API_URL');
});
