import { z } from 'zod';

import { chatChannel } from './chat-channel.ts';
import { id, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';
import { personality } from './personality.ts';

const workspaceSettings = z.strictObject({
  id,
  ticketAssigneeScope: z.string().nullable(),
  disableChatUserSync: z.boolean(),
  visibleInChat: z.boolean(),
  showInChatAssistant: z.boolean(),
});

/** Specification, Resources, Workspace. */
export const workspace = z
  .strictObject({
    id,
    name: z.string(),
    slug: z.string(),
    organizationId: id.nullable(),
    creatorId: id.nullable(),
    private: z.boolean(),
    chatBotIconUrl: z.string().nullable(),
    chatBotUsername: z.string().nullable(),
    chatEmojiActions: z.unknown(),
    brandIcon: z.string().nullable(),
    brandColor: z.string().nullable(),
    defaultQueueId: id.nullable(),
    chatTriageChannels: z.array(chatChannel),
    activePersonality: personality.nullable(),
    settings: workspaceSettings.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    deletedAt: timestamp.nullable(),
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.output<typeof workspace>;

export const workspaceList = list(workspace);

export const workspaceListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name', 'slug'],
  groupBy: ['private'],
  filters: {},
});
