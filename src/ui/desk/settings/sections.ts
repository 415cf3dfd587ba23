import type { ComponentType, LazyExoticComponent } from 'react';

import { part } from '../../kit/part.ts';
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

/** The sections of the settings, in the order of their list; titles and words to search for are in the messages. */
export const SECTIONS: readonly Section[] = [
  {
    id: 'queues',
    group: 'tickets',
    Page: part(() => import('./queues/queues.tsx').then(({ QueuesSettings }) => QueuesSettings)),
  },
  {
    id: 'channels',
    group: 'tickets',
    Page: part(() => import('./channels/channels.tsx').then(({ ChannelsSettings }) => ChannelsSettings)),
  },
  {
    id: 'statuses',
    group: 'tickets',
    Page: part(() => import('./statuses.tsx').then(({ StatusesSettings }) => StatusesSettings)),
  },
  {
    id: 'request-types',
    group: 'tickets',
    Page: part(() =>
      import('./request-types/request-types.tsx').then(({ RequestTypesSettings }) => RequestTypesSettings),
    ),
  },
  {
    id: 'tags',
    group: 'tickets',
    Page: part(() => import('./tags.tsx').then(({ TagsSettings }) => TagsSettings)),
  },
  {
    id: 'business-hours',
    group: 'tickets',
    Page: part(() =>
      import('./business-hours/business-hours.tsx').then(
        ({ BusinessHoursSettings }) => BusinessHoursSettings,
      ),
    ),
  },
  {
    id: 'canned-replies',
    group: 'work',
    isForAgents: true,
    Page: part(() =>
      import('./canned-replies.tsx').then(({ CannedRepliesSettings }) => CannedRepliesSettings),
    ),
  },
  {
    id: 'views',
    group: 'work',
    Page: part(() => import('./views.tsx').then(({ ViewsSettings }) => ViewsSettings)),
  },
  {
    id: 'workflows',
    group: 'automation',
    Page: part(() => import('./workflows/workflows.tsx').then(({ WorkflowsSettings }) => WorkflowsSettings)),
  },
  {
    id: 'agents',
    group: 'ai',
    Page: part(() => import('./agents/agents.tsx').then(({ AgentsSettings }) => AgentsSettings)),
  },
  {
    id: 'personalities',
    group: 'ai',
    Page: part(() =>
      import('./personalities.tsx').then(({ PersonalitiesSettings }) => PersonalitiesSettings),
    ),
  },
  {
    id: 'knowledge',
    group: 'ai',
    Page: part(() => import('./knowledge/knowledge.tsx').then(({ KnowledgeSettings }) => KnowledgeSettings)),
  },
  {
    id: 'people',
    group: 'access',
    Page: part(() => import('./people/people.tsx').then(({ PeopleSettings }) => PeopleSettings)),
  },
  {
    id: 'api-keys',
    group: 'access',
    Page: part(() => import('./api-keys.tsx').then(({ ApiKeysSettings }) => ApiKeysSettings)),
  },
  {
    id: 'webhooks',
    group: 'access',
    Page: part(() => import('./webhooks/webhooks.tsx').then(({ WebhooksSettings }) => WebhooksSettings)),
  },
  {
    id: 'audit-log',
    group: 'access',
    Page: part(() => import('./audit-log/audit-log.tsx').then(({ AuditLogSettings }) => AuditLogSettings)),
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
