import { OAUTH } from '../../oauth/access.ts';
import { OPENID } from '../../oauth/openid-methods.ts';
import type { AppCall, Method, OpenCall, OrganisationCall } from '../method.ts';
import { AUTH, BASICS, ORGANISATION, WITH_APP_TOKEN } from './auth.ts';
import { BOOKMARKS, PINS, REACTIONS } from './items.ts';
import { BOTS, EMOJI, TEAM, USERGROUPS, USERS } from './people.ts';
import { CHAT_UNFURL } from './chat-unfurl.ts';
import { CHAT_EDIT, CHAT_POST, CHAT_SCHEDULE } from './chat.ts';
import { CONVERSATION_MANAGE, CONVERSATION_OPEN, CONVERSATIONS } from './conversations.ts';
import { FILES } from './files.ts';
import { HISTORY } from './history.ts';
import { VIEWS } from './views.ts';

/** The Web API methods for bot tokens. A method in no table here answers `unknown_method`. */
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

/** The methods for app-level tokens. */
export const APP_METHODS: ReadonlyMap<string, Method<AppCall>> = new Map(
  WITH_APP_TOKEN.map((row) => [row.name, row]),
);

/** The methods for an organisation's bot token without a workspace; the others use the one that the call names. */
export const ORGANISATION_METHODS: ReadonlyMap<string, Method<OrganisationCall>> = new Map(
  ORGANISATION.map((row) => [row.name, row]),
);

/** The methods without a token. */
export const OPEN_METHODS: ReadonlyMap<string, Method<OpenCall>> = new Map(
  [...OAUTH, ...OPENID].map((row) => [row.name, row]),
);
