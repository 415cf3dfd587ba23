import { describe, expect, test } from 'vitest';

import { createWebClient } from '../../../src/bridge/slack/client.ts';
import { ChatReader } from '../../../src/bridge/slack/reader.ts';
import { enter } from '../../../src/bridge/features/commands/set-up.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { HELP, openSandbox, SEED } from '../../sandbox/open-sandbox.ts';

/** `/ticket link` in a channel of a real sandbox, where some methods answer with an error. */
async function linking(errors: Record<string, string> = {}) {
  const sandbox = await openSandbox();
  sandbox.control.faults({
    faults: Object.entries(errors).map(([method, error]) => ({ method, kind: 'error' as const, error })),
  });
  const chat = new ChatReader(createWebClient(SEED.app.botToken, sandbox.apiUrl), systemClock);
  const bot = { ...(await chat.identity()), name: 'helper' };
  return enter({ chat, bot }, HELP);
}

describe('B1 B36 the answer of /ticket link about the channel', () => {
  test('a channel that the app is in is not joined again', async () => {
    expect(await linking({ 'conversations.join': 'restricted_action' })).toMatchObject({
      isMember: true,
      isPrivate: false,
    });
  });

  test.each([
    ['channel_not_found', 'I am not in this channel.'],
    ['missing_scope', 'The app lacks the permission for conversations.info'],
    ['is_archived', 'This channel is archived.'],
    ['team_access_not_granted', 'conversations.info: `team_access_not_granted`'],
  ])('%s is explained to the user', async (error, text) => {
    expect(await linking({ 'conversations.info': error })).toMatchObject({
      refused: true,
      text: expect.stringContaining(text) as string,
    });
  });

  test('a failure of Slack itself is retried', async () => {
    await expect(linking({ 'conversations.info': 'internal_error' })).rejects.toThrow('internal_error');
  });
});
