import { expect, test } from 'vitest';

import { slackConnection } from '../../../src/bridge/program.ts';
import type { ChatReceiver } from '../../../src/bridge/slack/receiver.ts';

test.each([
  [{ signingSecret: 's' }, true, { by: 'http' }],
  [{ appToken: 'xapp-1' }, true, { by: 'socket', state: 'connected' }],
  [{ appToken: 'xapp-1' }, false, { by: 'socket', state: 'not connected' }],
])(
  'health shows how Slack’s events arrive, and whether the socket is connected: %j, %s',
  (receives, connected, said) => {
    expect(slackConnection(receives, { connected } as ChatReceiver)).toEqual(said);
  },
);
