import { z } from 'zod';

import { chatType, teamThread } from './enums.ts';
import { httpUrl, id, name, shortText, timestamp } from './fields.ts';

/** Specification, Resources, Workspace, Triage channel app. Its credentials are strings, but masked (`''`). */
export const chatApp = z
  .strictObject({
    id,
    appId: z.string().nullable(),
    accessToken: z.string().nullable(),
    refreshToken: z.string().nullable(),
    error: z.string().nullable(),
    expiresIn: z.int().nullable(),
    expiresAt: timestamp.nullable(),
    authedUserId: z.string().nullable(),
    botUserId: z.string().nullable(),
    teamId: z.string().nullable(),
    teamName: z.string().nullable(),
    teamDomain: z.string().nullable(),
    channelName: z.string().nullable(),
    channelId: z.string().nullable(),
    teamUrl: z.string().nullable(),
    organizationId: z.string().nullable(),
    enterpriseId: z.string().nullable(),
    enterpriseName: z.string().nullable(),
    isEnterpriseInstall: z.boolean(),
    workflowsAppId: z.string().nullable(),
    workflowsAppSigningSecret: z.string().nullable(),
    agentWorkspaceId: z.string().nullable(),
    configSettings: z.unknown(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChatApp' });

/** Specification, Resources, Workspace, Triage channel: a chat channel linked to a queue. */
export const chatChannel = z
  .strictObject({
    workspace: z.strictObject({ id, name: z.string() }).nullable(),
    id,
    createdAt: timestamp,
    updatedAt: timestamp,
    private: z.boolean(),
    deletedAt: timestamp.nullable(),
    type: chatType.nullable(),
    /** Beyond the specification; null: it is no triage channel, or a service has nothing of the kind. */
    teamThread: teamThread.nullable(),
    channelId: z.string().nullable(),
    channelName: z.string().nullable(),
    mirrorTs: z.string().nullable(),
    appId: z.string().nullable(),
    workspaceId: id.nullable(),
    queue: z.strictObject({ id, name: z.string(), emoji: z.string().nullable(), workspaceId: id }).nullable(),
    queueId: id.nullable(),
    agentId: id.nullable(),
    chatUserId: z.string().nullable(),
    userId: id.nullable(),
    ticketId: id.nullable(),
    contextTeamId: z.string().nullable(),
    app: chatApp.nullable(),
  })
  .meta({ id: 'ChatChannel' });
export type ChatChannel = z.output<typeof chatChannel>;

/** The installed app that serves a channel, as reported by chat; its credentials are never accepted. */
const chatAppInput = z.object({
  appId: name,
  teamId: shortText.nullish(),
  teamName: shortText.nullish(),
  teamDomain: shortText.nullish(),
  teamUrl: httpUrl.nullish(),
  botUserId: shortText.nullish(),
  enterpriseId: shortText.nullish(),
  enterpriseName: shortText.nullish(),
  isEnterpriseInstall: z.boolean().nullish(),
});

/**
 * `PUT /chat-channels` (beyond the specification): links a chat channel to a queue, or relinks it. Without `app`, the
 * app set earlier for this channel, or else for its team, stays; without `teamThread`, what was set, at first
 * `everything`.
 */
export const chatChannelLink = z.object({
  channelId: name,
  channelName: shortText.nullish(),
  type: chatType.nullish(),
  teamThread: teamThread.nullish(),
  queueId: id.nullish(),
  workspaceId: id.nullish(),
  teamId: shortText.nullish(),
  private: z.boolean().nullish(),
  app: chatAppInput.nullish(),
});
