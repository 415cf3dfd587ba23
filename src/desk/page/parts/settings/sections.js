import { agents } from './agents.js';
import { apiKeys } from './api-keys.js';
import { channels } from './channels.js';
import { knowledge } from './knowledge.js';
import { people } from './people.js';
import { personalities } from './personalities.js';
import { queues } from './queues.js';
import { requestTypes } from './request-types.js';
import { statuses } from './statuses.js';
import { webhooks } from './webhooks.js';

/**
 * The sections of the settings, in the order of their navigation. A section has the `key` of its address and
 * state, a `title`, `load()`, which stores what it reads (settings.js), and `render(kept)`.
 */
export const SECTIONS = [
  queues,
  channels,
  statuses,
  requestTypes,
  people,
  agents,
  personalities,
  knowledge,
  apiKeys,
  webhooks,
];

/** The section of an address; by default the first. */
export function sectionOf(key) {
  return SECTIONS.find((section) => section.key === key) ?? SECTIONS[0];
}
