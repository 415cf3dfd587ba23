import { isAdmin } from '../../may.js';
import { state } from '../../state.js';
import { agents } from './agents.js';
import { apiKeys } from './api-keys.js';
import { auditLog } from './audit-log.js';
import { channels } from './channels.js';
import { knowledge } from './knowledge.js';
import { people } from './people.js';
import { personalities } from './personalities.js';
import { queues } from './queues.js';
import { requestTypes } from './request-types.js';
import { sessions } from './sessions.js';
import { statuses } from './statuses.js';
import { webhooks } from './webhooks.js';

/**
 * The sections of the settings under their headings, in the order of their navigation. A section has the `key` of its
 * address and state, a `title`, `load()`, which stores what it reads (settings.js), and `render(kept)`.
 */
const GROUPS = [
  ['Workspace', [queues, channels, statuses, requestTypes]],
  ['AI', [agents, personalities, knowledge]],
  ['Access', [people, apiKeys, webhooks, auditLog]],
];
/** With an API key there are no sessions of people. */
const ACCOUNT = ['Account', [sessions]];

/** The sections that the signed-in user may open. */
export const groups = () => [...(isAdmin() ? GROUPS : []), ...(state.signIn ? [ACCOUNT] : [])];

/** The section of an address; by default the first that the user may open. */
export function sectionOf(key) {
  const sections = groups().flatMap(([, some]) => some);
  return sections.find((section) => section.key === key) ?? sections[0];
}
