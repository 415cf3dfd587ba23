import type { Method } from '../method.ts';
import { BASICS } from './basics.ts';
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
import { PINS } from './pins.ts';
import { REACTIONS } from './reactions.ts';
import { TEAM } from './team.ts';
import { USERGROUPS } from './usergroups.ts';
import { USERS } from './users.ts';
import { VIEWS } from './views.ts';

/** Every Web API method the sandbox speaks. What is not here answers `unknown_method`. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [
    ...BASICS,
    ...TEAM,
    ...BOTS,
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
