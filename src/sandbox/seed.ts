import { z } from 'zod';

import { LIMITS } from './limits.ts';

const id = z
  .string()
  .regex(/^[A-Z][A-Z0-9]{4,24}$/, 'an id is an upper-case letter and 4 to 24 letters or digits');
/** A person's role in the workspace; guests of many channels (`guest`) or of one. */
export const role = z.enum(['primary_owner', 'owner', 'admin', 'member', 'guest', 'single_channel_guest']);
export const timeZone = z.string().refine(isTimeZone, 'the name of a time zone, e.g. Europe/Madrid');
export const emojiName = z.string().regex(/^[a-z0-9_+'-]+$/, 'the short name of an emoji, e.g. ticket');
export const groupHandle = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'a handle is lower case, without spaces');
/** A redirect URL without its query; http as well, for apps on one's own machine. */
export const redirectUrl = z.url({ protocol: /^https?$/ });
export const channelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,79}$/, 'a channel name is lower case, without spaces');

/** Whether the time zone database knows the name. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** One workspace with its contents. */
const inWorkspace = {
  team: z.object({ id, name: z.string().min(1), domain: z.string().min(1) }),
  people: z.array(
    z.object({
      id,
      name: z.string().min(1),
      firstName: z.string(),
      lastName: z.string(),
      /** Empty for people of other organisations and for bots. */
      email: z.email().or(z.literal('')).default(''),
      timeZone,
      role: role.default('member'),
      displayName: z.string().optional(),
      title: z.string().default(''),
      deleted: z.boolean().default(false),
      /** The workspace of someone from another organisation (Slack Connect). */
      teamId: id.optional(),
    }),
  ),
  userGroups: z
    .array(
      z.object({
        id,
        handle: groupHandle,
        name: z.string().min(1),
        description: z.string().default(''),
        users: z.array(id),
      }),
    )
    .default([]),
  /** Custom emoji: an address, `alias:` and another name, or empty for a picture of the sandbox's. */
  emoji: z.record(emojiName, z.string()).default({}),
  channels: z.array(
    z.object({
      id,
      name: channelName,
      private: z.boolean(),
      /** Ids of people; the app's bot user may be among them. */
      members: z.array(id),
    }),
  ),
};

/** The workspace the sandbox starts with: applied into an empty schema only, and again by `reset`. */
export const sandboxSeed = z.object({
  app: z.object({
    id,
    name: z.string().min(1),
    botUserId: id,
    botId: id,
    botToken: z.string().startsWith('xoxb-'),
    appToken: z.string().startsWith('xapp-'),
    signingSecret: z.string().min(8),
    /** The OAuth client id; default its id. */
    clientId: z.string().min(1).optional(),
    /** Default `client-secret-of-` and its id. */
    clientSecret: z.string().min(8).optional(),
    /** The allowed redirect URLs after an installation. */
    redirectUrls: z.array(redirectUrl).default([]),
    /** Bot tokens that OAuth gives out expire after twelve hours, and come with a refresh token. */
    tokenRotation: z.boolean().default(false),
    /** The request URL for events, commands and interactions; it must answer the challenge first. */
    requestUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** Default on, unless there is a request URL. If on, it takes precedence over the URL. */
    socketMode: z.boolean().optional(),
    /** Maximum number of events within an hour; more are dropped, and the app gets `app_rate_limited`. */
    eventsPerHour: z.int().min(1).default(LIMITS.eventsPerHour),
    /** The scopes of the bot token; default all. */
    scopes: z.array(z.string()).optional(),
    /** Domains whose links it previews (`link_shared`). */
    unfurlDomains: z.array(z.string().min(1).toLowerCase()).default([]),
    /** What its manifest offers: the page shows them; the workspace sends any command and shortcut to the app. */
    commands: z.array(z.object({ command: z.string().startsWith('/'), hint: z.string() })).default([]),
    shortcuts: z
      .array(
        z.object({
          callbackId: z.string().min(1),
          name: z.string().min(1),
          on: z.enum(['message', 'global']),
        }),
      )
      .default([]),
  }),
  ...inWorkspace,
  /** Further workspaces. The app is installed in those with installation data. */
  workspaces: z
    .array(
      z.object({
        ...inWorkspace,
        installation: z
          .object({
            botUserId: id,
            botId: id,
            botToken: z.string().startsWith('xoxb-'),
            scopes: z.array(z.string()).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
});

export type SandboxSeed = z.input<typeof sandboxSeed>;
export type ParsedSeed = z.output<typeof sandboxSeed>;
export type ParsedTeam = Pick<ParsedSeed, keyof typeof inWorkspace>;
