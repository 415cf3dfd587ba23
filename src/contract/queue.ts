import { z } from 'zod';

import { priority, queueVisibility, respondOnMessage } from './enums.ts';
import { id, inWorkspace, name, ref, refInputs, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';
import { onWhereAbsent } from './tolerant.ts';

const MINUTES_OF_A_YEAR = 366 * 24 * 60;
const minutes = z.int().min(1).max(MINUTES_OF_A_YEAR).nullable();

/** Response targets per priority, in minutes (docs/api.md, Configuration records). */
const targets = z.partialRecord(
  priority,
  z.strictObject({ responseMinutes: minutes, resolutionMinutes: minutes }),
);

/**
 * Who is told when which share of a target has passed (beyond the specification). Where null: assignee and team at four
 * fifths, and at the end.
 */
const warnings = z.strictObject({
  /** When assignee and team are told that a target's time is nearly up; null: they are not. */
  percent: z.int().nullable(),
  /** Further shares, each with the person or the channel in chat that is told. */
  escalations: z.array(
    z.strictObject({ percent: z.int(), userId: id.nullable(), chatChannelId: z.string().nullable() }),
  ),
  /** The priorities of which people are told outside business hours too. */
  outsideHours: z.array(priority),
});

const warningsInput = z.strictObject({
  percent: z.int().min(1).max(99).nullable(),
  escalations: z
    .array(
      z
        .strictObject({
          percent: z.int().min(1).max(1_000),
          userId: id.nullable(),
          chatChannelId: shortText.nullable(),
        })
        .refine(
          ({ userId, chatChannelId }) => (userId === null) !== (chatChannelId === null),
          'Name a person or a channel',
        ),
    )
    .max(20),
  outsideHours: z.array(priority).max(priority.options.length),
});

const switches = {
  aiEnabled: z.boolean(),
  respondOnMention: z.boolean(),
  allowInboundEmails: z.boolean(),
  autoCreateTickets: z.boolean(),
  autoClassify: z.boolean(),
  autoTag: z.boolean(),
  enableUserActions: z.boolean().register(onWhereAbsent, { absent: true }),
  enableUserEmojis: z.boolean().register(onWhereAbsent, { absent: true }),
  enableCSAT: z.boolean(),
  enableEmojiUpdates: z.boolean(),
  sendAllTicketToTriageChannel: z.boolean(),
  enableGranularChatNotifications: z.boolean(),
  negativeFeedbackAutoCreate: z.boolean(),
  allowGuestUsers: z.boolean(),
  silentMode: z.boolean(),
  sendBouncedEmails: z.boolean(),
  /** Beyond the specification: targets are paused while a ticket's status is of the group Waiting. */
  pauseWhileWaiting: z.boolean(),
  /** Beyond the specification: a public reply of the requester sets a ticket that is Waiting to Open. */
  openOnReply: z.boolean(),
  /** Beyond the specification: messages of AI agents and of programs count as the first reply. */
  countAutomatedReplies: z.boolean(),
  /** Beyond the specification: AI tools may read its tickets through MCP; off for a queue of a team. */
  mcpMayRead: z.boolean(),
  /** Beyond the specification: and its private tickets, internal notes and private answers too. */
  mcpPrivate: z.boolean(),
};

/** Specification, Resources, Queue, `settings`. */
export const queueSettings = z
  .strictObject({
    id,
    ...switches,
    respondOnMessage: respondOnMessage.nullable(),
    emailSenderName: z.string().nullable(),
    whitelistedInboundEmails: z.array(z.string()),
    whitelistedInboundDomains: z.array(z.string()),
    targets: targets.nullable(),
    warnings: warnings.nullable(),
  })
  .meta({ id: 'QueueSettings' });
export type QueueSettings = z.output<typeof queueSettings>;

/** Specification, Resources, Queue. */
export const queue = z
  .strictObject({
    id,
    name: z.string(),
    workspaceId: id,
    prefix: z.string(),
    emoji: z.string().nullable(),
    workspace: z.strictObject({ id, slug: z.string() }).nullable(),
    system: z.boolean(),
    settings: queueSettings.nullable(),
    chatChannels: z.array(ref),
    requestTypes: z.array(ref),
    autoAssignees: z.array(ref),
    /** Beyond the specification: the hours that targets are counted in; null: the workspace's default ones. */
    businessHoursId: id.nullable(),
    /** Beyond the specification, too; null: a service that has nothing of the kind. */
    visibility: queueVisibility.nullable(),
    _count: z.strictObject({ tickets: z.int() }).nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    deletedAt: timestamp.nullable(),
  })
  .meta({ id: 'Queue' });
export type Queue = z.output<typeof queue>;

export const queueList = list(queue);

export const queueListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name', 'prefix'],
  groupBy: ['workspaceId'],
  filters: {},
});

export const queuePrefix = z
  .string()
  .regex(/^[A-Z][A-Z0-9]{0,9}$/, 'Expected 1 to 10 capital letters and digits');

const shortTexts = z.array(shortText).max(LIMITS.arrayItems);

/** Any of the settings; absent or null settings stay. */
const queueSettingsUpdate = z.object({
  ...z.object(switches).partial().shape,
  respondOnMessage: respondOnMessage.nullish(),
  emailSenderName: shortText.nullish(),
  whitelistedInboundEmails: shortTexts.optional(),
  whitelistedInboundDomains: shortTexts.optional(),
  targets: targets.nullish(),
  warnings: warningsInput.nullish(),
});

/** `PUT /queues/{id}`; `autoAssignees` is a comma-separated string of user ids. */
export const queueUpdate = z.object({
  name: name.nullish(),
  prefix: queuePrefix.nullish(),
  emoji: shortText.nullish(),
  requestTypes: refInputs.nullish(),
  autoAssignees: z.string().max(LIMITS.messageContent).nullish(),
  businessHoursId: id.nullish(),
  visibility: queueVisibility.nullish(),
  workspaceId: id.nullish(),
  settings: queueSettingsUpdate.nullish(),
});

/** `GET /queues/{id}/readers` (beyond the specification): what a switch to this visibility would change. */
export const queueReadersQuery = z.object({ visibility: queueVisibility });

/** How many people a change lets read, and how many no longer; whoever takes part in a ticket reads it anyway. */
const changedReaders = { gain: z.int().min(0), lose: z.int().min(0) };
const named = z.array(z.strictObject({ id, name: z.string().nullable() }));

/** Who would read the tickets of a queue that are not private. */
export const queueReaders = z
  .strictObject({
    ...changedReaders,
    /** People in the queue's team; without one it cannot become `team`. */
    members: z.int().min(0),
    /** API keys and webhooks that read its tickets before and after, whatever the visibility. */
    keys: named,
    webhooks: named,
  })
  .meta({ id: 'QueueReaders' });
export type QueueReaders = z.output<typeof queueReaders>;

/** `GET /tickets/{id}/readers` (beyond the specification): what a move to this queue would change. */
export const ticketReadersQuery = inWorkspace.extend({ queueId: id });

export const ticketReaders = z.strictObject(changedReaders).meta({ id: 'TicketReaders' });
export type TicketReaders = z.output<typeof ticketReaders>;

/** `POST /queues` (beyond the specification). */
export const queueCreate = queueUpdate.extend({ name, prefix: queuePrefix });
