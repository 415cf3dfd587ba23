import type { PostMetadata } from '../bridge/index.ts';
import type { PastMessage } from '../sandbox/index.ts';
import type { DemoThread } from '../service/index.ts';

const people = {
  ada: {
    id: 'U0ADAREYES',
    name: 'ada',
    firstName: 'Ada',
    lastName: 'Reyes',
    email: 'ada@acme.example',
    timeZone: 'Europe/Madrid',
  },
  ben: {
    id: 'U0BENOKAFO',
    name: 'ben',
    firstName: 'Ben',
    lastName: 'Okafor',
    email: 'ben@acme.example',
    timeZone: 'Africa/Lagos',
  },
  mira: {
    id: 'U0MIRALIND',
    name: 'mira',
    firstName: 'Mira',
    lastName: 'Lind',
    email: 'mira@acme.example',
    timeZone: 'Europe/Stockholm',
  },
  sam: {
    id: 'U0SAMPARKS',
    name: 'sam',
    firstName: 'Sam',
    lastName: 'Parks',
    email: 'sam@acme.example',
    timeZone: 'America/New_York',
  },
} as const;

const team = { id: 'T0DESKBRDG', name: 'Acme', domain: 'acme' } as const;

/** The manifest's scopes, as granted by a workspace. */
const scopes = [
  'app_mentions:read',
  'channels:history',
  'channels:join',
  'channels:read',
  'chat:write',
  'chat:write.customize',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'groups:write',
  'im:history',
  'im:read',
  'im:write',
  'links:read',
  'links:write',
  'metadata.message:read',
  'mpim:history',
  'mpim:read',
  'mpim:write',
  'reactions:read',
  'reactions:write',
  'usergroups:read',
  'users:read',
  'users:read.email',
];

const app = {
  id: 'A0DESKBRDG',
  name: 'deskbridge',
  botUserId: 'U0DESKBRDG',
  botId: 'B0DESKBRDG',
  botToken: 'xoxb-sandbox-deskbridge',
  appToken: 'xapp-sandbox-deskbridge',
  signingSecret: 'sandbox-signing-secret-not-for-production',
  clientId: 'A0DESKBRDG',
  clientSecret: 'client-secret-of-A0DESKBRDG',
} as const;

const channels = {
  itHelp: { id: 'C0ITHELP00', name: 'it-help', private: false },
  peopleHelp: { id: 'C0PEOPLE00', name: 'people-help', private: false },
  general: { id: 'C0GENERAL0', name: 'general', private: false },
  itTriage: { id: 'C0ITTRIAGE', name: 'it-triage', private: true },
} as const;

/**
 * The users, channels and tokens that the sandbox and the service's demo data share. Only programs and tests read it:
 * the modules get their part passed in, because neither may import the other. Mira is the admin and the team of People,
 * whose tickets nobody else reads; Sam is an agent of IT; all others are requesters.
 */
export const DEMO = {
  team,
  app,
  people,
  channels,
  itPrefix: 'IT',
  roles: { mira: { role: 'admin', queue: 'PPL' }, sam: { role: 'agent', queue: 'IT' } },
} as const;

const everybody = [...Object.values(people).map(({ id }) => id), app.botUserId];
const agents = [people.mira.id, people.sam.id, app.botUserId];

/** The sandbox's first workspace. */
export const SANDBOX_SEED = {
  team,
  app: {
    ...app,
    scopes,
    commands: [{ command: '/ticket', hint: 'help · new · list · search · show · close' }],
    shortcuts: [
      { callbackId: 'create_ticket', name: 'Create ticket', on: 'message' as const },
      { callbackId: 'fill_form', name: 'Create ticket with form', on: 'message' as const },
      { callbackId: 'new_ticket', name: 'New ticket', on: 'global' as const },
      { callbackId: 'send_to_requester', name: 'Send to requester', on: 'message' as const },
      { callbackId: 'ticket_actions', name: 'Ticket actions', on: 'message' as const },
    ],
  },
  people: Object.values(people),
  channels: Object.values(channels).map((channel) => ({
    ...channel,
    members: channel.private ? agents : everybody,
  })),
};

/**
 * The threads of the demo's tickets as chat shows them; the bridge draws their cards again as it starts.
 * @param metadataOf what a post of the bridge bears.
 */
export function demoHistory(
  threads: readonly DemoThread[],
  metadataOf: (mark: PostMetadata) => PastMessage['metadata'],
): PastMessage[] {
  return threads.flatMap(({ channelId: channel, ticketId, reference, requester, rootTs, ...thread }) => {
    const { id: user, firstName } = personOf(requester);
    const reply = { channel, threadTs: rootTs };
    return [
      { channel, ts: rootTs, user, text: thread.request },
      {
        ...reply,
        ts: thread.cardTs,
        text: `Thanks, ${firstName}. IT has got it: ${reference}.`,
        metadata: metadataOf({ id: ticketId, card: ticketId }),
      },
      ...thread.replies.map(({ ts, from, text, messageId: message, updatedAt: version }) => {
        if (from === requester) return { ...reply, ts, text, user };
        const { firstName, lastName } = personOf(from);
        const metadata = metadataOf({ id: message, message, part: 0, version });
        return { ...reply, ts, text, username: `${firstName} ${lastName}`, metadata };
      }),
    ];
  });
}

function personOf(key: string) {
  const person = Object.entries(people).find(([name]) => name === key)?.[1];
  if (!person) throw new TypeError(`the demo has nobody called "${key}"`);
  return person;
}
