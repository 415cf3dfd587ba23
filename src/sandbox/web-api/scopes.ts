import type { ChannelKind } from '../store/tables.ts';

/** Any one of these scopes is sufficient. */
type AnyOf = readonly string[];

/** The scopes of a method: one list, or one per kind of conversation. */
export type Scopes = AnyOf | Readonly<Record<ChannelKind, AnyOf>>;

const READ: Scopes = {
  channel: ['channels:read'],
  group: ['groups:read'],
  im: ['im:read'],
  mpim: ['mpim:read'],
};
const HISTORY: Scopes = {
  channel: ['channels:history'],
  group: ['groups:history'],
  im: ['im:history'],
  mpim: ['mpim:history'],
};
const MANAGE: Scopes = {
  channel: ['channels:manage'],
  group: ['groups:write'],
  im: ['im:write'],
  mpim: ['mpim:write'],
};
const INVITE: Scopes = {
  ...MANAGE,
  channel: ['channels:manage', 'channels:write.invites'],
  group: ['groups:write', 'groups:write.invites'],
};
const TOPIC: Scopes = {
  channel: ['channels:manage', 'channels:write.topic'],
  group: ['groups:write', 'groups:write.topic'],
  im: ['im:write', 'im:write.topic'],
  mpim: ['mpim:write', 'mpim:write.topic'],
};
const NONE: Scopes = [];
const CHAT: Scopes = ['chat:write'];

/** "Required scopes" of each method's page (docs.slack.dev/reference/methods), for bot tokens. */
export const SCOPES: Readonly<Record<string, Scopes>> = {
  'api.test': NONE,
  'apps.connections.open': ['connections:write'],
  'apps.uninstall': NONE,
  'auth.revoke': NONE,
  'auth.teams.list': NONE,
  'auth.test': NONE,
  'bookmarks.add': ['bookmarks:write'],
  'bookmarks.edit': ['bookmarks:write'],
  'bookmarks.list': ['bookmarks:read'],
  'bookmarks.remove': ['bookmarks:write'],
  'bots.info': ['users:read'],
  'chat.delete': CHAT,
  'chat.deleteScheduledMessage': CHAT,
  'chat.getPermalink': NONE,
  'chat.meMessage': CHAT,
  'chat.postEphemeral': CHAT,
  'chat.postMessage': CHAT,
  'chat.scheduleMessage': CHAT,
  'chat.scheduledMessages.list': NONE,
  'chat.unfurl': ['links:write'],
  'chat.update': CHAT,
  'conversations.archive': MANAGE,
  'conversations.close': MANAGE,
  'conversations.create': MANAGE,
  'conversations.history': HISTORY,
  'conversations.info': READ,
  'conversations.invite': INVITE,
  'conversations.join': ['channels:join'],
  'conversations.kick': MANAGE,
  'conversations.leave': MANAGE,
  'conversations.list': READ,
  'conversations.mark': MANAGE,
  'conversations.members': READ,
  'conversations.open': MANAGE,
  'conversations.rename': MANAGE,
  'conversations.replies': HISTORY,
  'conversations.setPurpose': TOPIC,
  'conversations.setTopic': TOPIC,
  'conversations.unarchive': MANAGE,
  'emoji.list': ['emoji:read'],
  'files.completeUploadExternal': ['files:write'],
  'files.delete': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  'files.list': ['files:read'],
  'files.upload': ['files:write'],
  'pins.add': ['pins:write'],
  'pins.list': ['pins:read'],
  'pins.remove': ['pins:write'],
  'reactions.add': ['reactions:write'],
  'reactions.get': ['reactions:read'],
  'reactions.remove': ['reactions:write'],
  'team.info': ['team:read'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.conversations': READ,
  'users.getPresence': ['users:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'users.profile.get': ['users.profile:read'],
  'users.setPresence': ['users:write'],
  'views.open': NONE,
  'views.publish': NONE,
  'views.push': NONE,
  'views.update': NONE,
};

/** Arguments that are ignored without a further scope (docs.slack.dev/reference/scopes/chat.write.customize). */
const SCOPED_ARGUMENTS: Readonly<Record<string, { scope: string; names: readonly string[] }>> = {
  'chat.postMessage': { scope: 'chat:write.customize', names: ['username', 'icon_url', 'icon_emoji'] },
  'chat.postEphemeral': { scope: 'chat:write.customize', names: ['username', 'icon_url', 'icon_emoji'] },
};

/** Every scope that opens a method, for some conversation or for all. */
export function acceptedScopes(scopes: Scopes): string[] {
  return isAnyOf(scopes) ? [...scopes] : Object.values(scopes).flat();
}

/** Returns the scopes that the token lacks for a method, or for one kind of conversation; undefined if none. */
export function missingScopes(
  granted: ReadonlySet<string> | undefined,
  scopes: Scopes,
  kind?: ChannelKind,
): { needed: string; provided: string } | undefined {
  const accepted = kind === undefined || isAnyOf(scopes) ? acceptedScopes(scopes) : [...scopes[kind]];
  if (!granted || accepted.length === 0 || accepted.some((scope) => granted.has(scope))) return undefined;
  return { needed: accepted.join(','), provided: [...granted].join(',') };
}

/** Removes arguments that the token may not use: Slack ignores them silently. */
export function permittedArguments(
  granted: ReadonlySet<string> | undefined,
  method: string,
  args: Record<string, unknown>,
): Record<string, unknown> {
  const scoped = SCOPED_ARGUMENTS[method];
  if (!scoped || !granted || granted.has(scoped.scope)) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !scoped.names.includes(name)));
}

function isAnyOf(scopes: Scopes): scopes is AnyOf {
  return Array.isArray(scopes);
}
