import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

import { settings } from '../messages/settings.ts';
import type { SectionId, SectionProps } from './section.ts';

export type GroupId = keyof typeof settings.groups;

export interface Section {
  id: SectionId;
  group: GroupId;
  /** Agents too; the others are for admins. */
  isForAgents?: boolean;
  Page: LazyExoticComponent<ComponentType<SectionProps>>;
}

const page = <Name extends string>(
  load: () => Promise<Record<Name, ComponentType<SectionProps>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));

/** The sections of the settings, in the order of their list; titles and words to search for are in the messages. */
export const SECTIONS: readonly Section[] = [
  { id: 'queues', group: 'tickets', Page: page(() => import('./queues/queues.tsx'), 'QueuesSettings') },
  {
    id: 'channels',
    group: 'tickets',
    Page: page(() => import('./channels/channels.tsx'), 'ChannelsSettings'),
  },
  { id: 'statuses', group: 'tickets', Page: page(() => import('./statuses.tsx'), 'StatusesSettings') },
  {
    id: 'request-types',
    group: 'tickets',
    Page: page(() => import('./request-types/request-types.tsx'), 'RequestTypesSettings'),
  },
  { id: 'tags', group: 'tickets', Page: page(() => import('./tags.tsx'), 'TagsSettings') },
  {
    id: 'business-hours',
    group: 'tickets',
    Page: page(() => import('./business-hours/business-hours.tsx'), 'BusinessHoursSettings'),
  },
  {
    id: 'canned-replies',
    group: 'work',
    isForAgents: true,
    Page: page(() => import('./canned-replies.tsx'), 'CannedRepliesSettings'),
  },
  { id: 'views', group: 'work', Page: page(() => import('./views.tsx'), 'ViewsSettings') },
  { id: 'agents', group: 'ai', Page: page(() => import('./agents/agents.tsx'), 'AgentsSettings') },
  {
    id: 'personalities',
    group: 'ai',
    Page: page(() => import('./personalities.tsx'), 'PersonalitiesSettings'),
  },
  {
    id: 'knowledge',
    group: 'ai',
    Page: page(() => import('./knowledge/knowledge.tsx'), 'KnowledgeSettings'),
  },
  { id: 'people', group: 'access', Page: page(() => import('./people/people.tsx'), 'PeopleSettings') },
  { id: 'api-keys', group: 'access', Page: page(() => import('./api-keys.tsx'), 'ApiKeysSettings') },
  {
    id: 'webhooks',
    group: 'access',
    Page: page(() => import('./webhooks/webhooks.tsx'), 'WebhooksSettings'),
  },
  {
    id: 'audit-log',
    group: 'access',
    Page: page(() => import('./audit-log/audit-log.tsx'), 'AuditLogSettings'),
  },
];

/** A setting that the search found: its words, and the tab of the section (`#…`) that has it, if it has tabs. */
interface FoundSetting {
  section: Section;
  words: string;
  tab: string | undefined;
}

/** Settings within a section whose words contain what was typed. */
export function findSettings(sections: readonly Section[], typed: string): FoundSetting[] {
  const wanted = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = (words: string) => wanted.every((word) => words.toLocaleLowerCase().includes(word));
  return sections.flatMap((section) =>
    settings.keywords[section.id]
      .split(', ')
      .map((found) => {
        const [words = '', tab] = found.split(' #');
        return { section, words, tab };
      })
      .filter(({ words }) => fits(words)),
  );
}
