/** What the bridge does if Slack does not offer a method to this app. */
interface Need {
  /** Whether calls wait until Slack offers the method; otherwise the bridge works without it. */
  required: boolean;
  /** What does not work without it; completes a sentence. */
  without: string;
}

const required = (without: string): Need => ({ required: true, without });
const optional = (without: string): Need => ({ required: false, without });

/**
 * Every method of Slack's Web API that the bridge calls. One is not offered if the server does not know it, as a
 * stand-in for Slack may not, if Slack has removed it, or if the app lacks its scope. Required are those without which
 * words would be lost, or shown to the wrong people.
 */
export const METHODS: Readonly<Record<string, Need>> = {
  'auth.test': required('the bridge does not start'),
  'auth.teams.list': required('the workspaces of an organisation are not served'),
  'apps.connections.open': required('no events arrive by Socket Mode'),
  'oauth.v2.access': required('no workspace can install the app'),
  'chat.postMessage': required('nothing is posted'),
  'chat.update': required('edits and cards wait'),
  'chat.delete': required('what was deleted stays visible'),
  'conversations.history': required('channels are not compared, and posts without an answer wait'),
  'conversations.info': required('messages wait where the kind of their channel is unknown'),
  'conversations.members': required('requests of the team wait, because it is not known'),
  'conversations.open': required('direct messages wait'),
  'conversations.replies': required('tickets do not open in threads, and threads are not compared'),
  'users.info': required('messages of people who are not known yet wait'),
  'chat.postEphemeral': optional('notes to one person are not shown'),
  'chat.unfurl': optional('links to tickets have no previews'),
  'conversations.archive': optional('a private channel that cannot be used stays open'),
  'conversations.create': optional('private tickets have direct messages instead of private channels'),
  'conversations.invite': optional('private tickets have direct messages instead of private channels'),
  'conversations.join': optional('people have to invite the bot, also to public channels'),
  'conversations.list': optional('channels cannot be chosen from a list'),
  'files.completeUploadExternal': optional('files of tickets are links'),
  'files.delete': optional('files of deleted messages stay in Slack'),
  'files.getUploadURLExternal': optional('files of tickets are links'),
  'files.info': optional('files of which a message does not say enough are links'),
  'reactions.add': optional('the bot shows no emoji'),
  'reactions.remove': optional('the bot’s former emoji stay'),
  'usergroups.list': optional('user groups are not named on tickets'),
  'users.conversations': optional(
    'lost messages are only looked for in linked channels and in threads of tickets',
  ),
  'users.list': optional('people cannot be chosen from a list'),
  'views.open': optional('windows do not open'),
  'views.publish': optional('there is no Home'),
  'views.update': optional('windows stay empty'),
};

/** Returns whether a call of a method waits until Slack offers it. */
export function isRequired(method: string): boolean {
  return METHODS[method]?.required ?? true;
}
