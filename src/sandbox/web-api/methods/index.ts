import { OAUTH } from '../../oauth/access.ts';
import type { AppCall, Method, OpenCall, OrganisationCall } from '../method.ts';
import { AUTH } from './auth.ts';
import { BASICS, WITH_APP_TOKEN } from './basics.ts';
import { BOOKMARKS } from './bookmarks.ts';
import { BOTS } from './bots.ts';
import { CHAT_EDIT } from './chat-edit.ts';
import { CHAT_POST } from './chat-post.ts';
import { CHAT_SCHEDULE } from './chat-schedule.ts';
import { CHAT_UNFURL } from './chat-unfurl.ts';
import { CONVERSATION_MANAGE } from './conversation-manage.ts';
import { CONVERSATION_OPEN } from './conversation-open.ts';
import { CONVERSATIONS } from './conversations.ts';
import { EMOJI } from './emoji.ts';
import { FILES } from './files.ts';
import { HISTORY } from './history.ts';
import { ORGANISATION } from './organisation.ts';
import { PINS } from './pins.ts';
import { REACTIONS } from './reactions.ts';
import { TEAM } from './team.ts';
import { USERGROUPS } from './usergroups.ts';
import { USERS } from './users.ts';
import { VIEWS } from './views.ts';

/** Every Web API method that a bot token opens. What is in no table here answers `unknown_method`. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [
    ...BASICS,
    ...AUTH,
    ...TEAM,
    ...BOTS,
    ...BOOKMARKS,
    ...USERS,
    ...USERGROUPS,
    ...EMOJI,
    ...FILES,
    ...CONVERSATIONS,
    ...CONVERSATION_OPEN,
    ...CONVERSATION_MANAGE,
    ...CHAT_SCHEDULE,
    ...CHAT_UNFURL,
    ...PINS,
    ...HISTORY,
    ...CHAT_POST,
    ...CHAT_EDIT,
    ...REACTIONS,
    ...VIEWS,
  ].map((row) => [row.name, row]),
);

/** What an app-level token opens. */
export const APP_METHODS: ReadonlyMap<string, Method<AppCall>> = new Map(
  WITH_APP_TOKEN.map((row) => [row.name, row]),
);

/** What an organisation's bot token opens that is about no workspace; all else is about the one that the call names. */
export const ORGANISATION_METHODS: ReadonlyMap<string, Method<OrganisationCall>> = new Map(
  ORGANISATION.map((row) => [row.name, row]),
);

/** What needs no token. */
export const OPEN_METHODS: ReadonlyMap<string, Method<OpenCall>> = new Map(
  OAUTH.map((row) => [row.name, row]),
);
