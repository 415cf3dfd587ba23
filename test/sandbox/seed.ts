import type { SandboxSeed } from '../../src/sandbox/index.ts';

/**
 * A small workspace: two people, one app, a public and a private channel with the app, and one without it.
 */
export const SEED = {
  team: { id: 'T0TEST', name: 'Test', domain: 'test' },
  app: {
    id: 'A0TEST',
    name: 'deskbridge',
    botUserId: 'U0BOTTT',
    botId: 'B0BOTTT',
    botToken: 'xoxb-test',
    appToken: 'xapp-test',
    signingSecret: 'test-signing-secret',
  },
  people: [
    {
      id: 'U0ADAAA',
      name: 'ada',
      firstName: 'Ada',
      lastName: 'Reyes',
      email: 'ada@acme.example',
      timeZone: 'Europe/Madrid',
    },
    {
      id: 'U0BENNN',
      name: 'ben',
      firstName: 'Ben',
      lastName: 'Okafor',
      email: 'ben@acme.example',
      timeZone: 'Africa/Lagos',
    },
  ],
  channels: [
    { id: 'C0HELPP', name: 'it-help', private: false, members: ['U0BOTTT', 'U0ADAAA', 'U0BENNN'] },
    { id: 'C0QUIET', name: 'quiet', private: false, members: ['U0ADAAA', 'U0BENNN'] },
    { id: 'C0TRIAG', name: 'it-triage', private: true, members: ['U0BOTTT', 'U0BENNN'] },
    { id: 'C0HIDDN', name: 'hidden', private: true, members: ['U0ADAAA'] },
  ],
} satisfies SandboxSeed;
