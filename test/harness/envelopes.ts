import { createEnvelopes, sealingWith } from '../../src/bridge/slack/envelope.ts';

/** As the bridge of a test stores what Slack sends. */
export const envelopes = createEnvelopes(sealingWith('xoxb-of-a-test'));
