import type { checkChat } from '../../../src/bridge/health/check-chat.ts';

/** What the doctor is told of a chat in which nothing is wrong: a test changes what it is about. */
export const HEALTHY_CHAT: Parameters<typeof checkChat>[0] = {
  facts: {
    token: { name: 'deskbridge', team: 'Acme' },
    scopes: undefined,
    channels: new Map(),
    unlisted: undefined,
    missing: [],
    skewMs: 0,
  },
  connection: { by: 'http' },
  scopes: [],
  linked: undefined,
  adminChannel: undefined,
  missing: [],
  refusedAnswer: undefined,
};
