import type { Method } from '../method.ts';
import { BASICS } from './basics.ts';
import { CHAT_EDIT } from './chat-edit.ts';
import { CHAT_POST } from './chat-post.ts';
import { CONVERSATIONS } from './conversations.ts';
import { HISTORY } from './history.ts';
import { REACTIONS } from './reactions.ts';
import { USERS } from './users.ts';

/** Every Web API method the sandbox speaks. What is not here answers `unknown_method`. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [...BASICS, ...USERS, ...CONVERSATIONS, ...HISTORY, ...CHAT_POST, ...CHAT_EDIT, ...REACTIONS].map((row) => [
    row.name,
    row,
  ]),
);
