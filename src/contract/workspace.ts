import { z } from 'zod';

import { chatChannel } from './chat-channel.ts';
import { priority } from './enums.ts';
import { id, name, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';
import { personality } from './personality.ts';

const workspaceSettings = z.strictObject({
  id,
  ticketAssigneeScope: z.string().nullable(),
  disableChatUserSync: z.boolean(),
  visibleInChat: z.boolean(),
  showInChatAssistant: z.boolean(),
  // Beyond the specification: what AI tools may do through MCP. Each counts only with those before it.
  mcpRead: z.boolean(),
  mcpWrite: z.boolean(),
  mcpSend: z.boolean(),
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

/** An uploaded picture; its type is determined by its bytes, not its name. */
const picture = z.object({
  base64: z
    .string()
    .min(1)
    .max(LIMITS.iconBody)
    .refine(
      (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text),
      'Expected base64 without line breaks',
    ),
  fileName: name,
});

/** The action of each reaction, by its short name (docs/api.md, Configuration records). */
const emojiActions = z
  .record(
    z.string().regex(/^[a-z0-9_+'-]{1,100}(::[a-z0-9-]{1,20})?$/, 'Expected the short name of an emoji'),
    z
      .object({
        action: z.enum(['create', 'create-private', 'status', 'priority', 'assign-me']),
        value: shortText.optional(),
      })
      .superRefine(({ action, value }, context) => {
        const wrong = (message: string) => context.addIssue({ code: 'custom', path: ['value'], message });
        if (action === 'status' && !value) wrong('Expected the status to set');
        if (action === 'priority' && !priority.safeParse(value).success)
          wrong('Expected the priority to set');
      }),
  )
  .refine((actions) => Object.keys(actions).length <= LIMITS.objectKeys, 'Too many emoji');

const writable = {
  brandIcon: z.string().max(LIMITS.url).nullish(),
  brandColor: shortText.nullish(),
  private: z.boolean().nullish(),
  chatBotUsername: shortText.nullish(),
  chatBotIcon: picture.nullish(),
  chatEmojiActions: emojiActions.nullish(),
  // Beyond the specification.
  settings: z
    .object({
      ticketAssigneeScope: shortText.nullish(),
      disableChatUserSync: z.boolean().nullish(),
      visibleInChat: z.boolean().nullish(),
      showInChatAssistant: z.boolean().nullish(),
      mcpRead: z.boolean().nullish(),
      mcpWrite: z.boolean().nullish(),
      mcpSend: z.boolean().nullish(),
    })
    .nullish(),
};

export const workspaceSlug = z
  .string()
  .max(LIMITS.shortText)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Expected lower-case letters and digits, with hyphens between');

/** `PUT /workspaces/{id}`; `settings` and `activePersonalityId` are beyond the specification. */
export const workspaceUpdate = z.object({
  name: name.nullish(),
  slug: workspaceSlug.nullish(),
  ...writable,
  defaultQueueId: id.nullish(),
  activePersonalityId: id.nullish(),
});

/** `POST /workspaces` (beyond the specification). The key that creates a workspace can access it. */
export const workspaceCreate = z.object({ name, slug: workspaceSlug, ...writable });
