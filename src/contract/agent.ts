import { z } from 'zod';

import { respondOnMessage } from './enums.ts';
import { httpUrl, id, idInputs, name, shortText, timestamp } from './fields.ts';
import { knowledgeBaseRef } from './knowledge-base.ts';
import { LIMITS } from './limits.ts';
import { flag, list, listQuery } from './lists.ts';
import { personality } from './personality.ts';
import { requestTypeCustomField } from './request-type.ts';

const requestTypeRef = z.strictObject({
  id,
  name: z.string(),
  emoji: z.string().nullable(),
  color: z.string().nullable(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
});

/** Specification, Resources, Agent, in the fuller shape: every operation returns it. */
export const agent = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string().nullable(),
    imageUrl: z.string().nullable(),
    workspaceId: id,
    personalityId: id.nullable(),
    enabled: z.boolean(),
    respondOnMention: z.boolean(),
    autoClassify: z.boolean(),
    autoTag: z.boolean(),
    respondOnMessage,
    onlyRespondToRequests: z.boolean(),
    negativeFeedbackAutoCreate: z.boolean(),
    autoEscalate: z.boolean(),
    availableInDM: z.boolean(),
    tools: z.array(z.string()),
    workspace: z.strictObject({ id, slug: z.string(), name: z.string() }).nullable(),
    personality: personality.nullable(),
    chatChannels: z.array(z.strictObject({ id, channelName: z.string().nullable() })),
    queues: z.array(
      z.strictObject({
        id,
        name: z.string(),
        prefix: z.string(),
        emoji: z.string().nullable(),
        system: z.boolean(),
        requestTypes: z.array(requestTypeRef),
        kBs: z.array(knowledgeBaseRef),
      }),
    ),
    kBs: z.array(knowledgeBaseRef),
    requestTypes: z.array(
      z.strictObject({
        ...requestTypeRef.shape,
        aiExamples: z.string().nullable(),
        customFields: z.array(requestTypeCustomField),
      }),
    ),
    workflows: z.array(
      z.strictObject({ id, name: z.string(), description: z.string().nullable(), state: z.string() }),
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
    deletedAt: timestamp.nullable(),
  })
  .meta({ id: 'Agent' });
export type Agent = z.output<typeof agent>;

export const agentList = list(agent);

export const agentListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name'],
  groupBy: ['enabled', 'personalityId'],
  filters: { enabled: flag },
});

/** `POST /agents`: an existing `id` updates that AI agent, and then the name is optional. */
export const agentSave = z.object({
  id: id.nullish(),
  name: name.nullish(),
  description: z.string().max(LIMITS.ticketDescription).nullish(),
  imageUrl: httpUrl.nullish(),
  personalityId: id.nullish(),
  enabled: z.boolean().nullish(),
  respondOnMessage: respondOnMessage.nullish(),
  respondOnMention: z.boolean().nullish(),
  autoClassify: z.boolean().nullish(),
  autoTag: z.boolean().nullish(),
  chatChannelIds: idInputs.nullish(),
  queueIds: idInputs.nullish(),
  kbIds: idInputs.nullish(),
  requestTypeIds: idInputs.nullish(),
  // Beyond the specification.
  onlyRespondToRequests: z.boolean().nullish(),
  negativeFeedbackAutoCreate: z.boolean().nullish(),
  autoEscalate: z.boolean().nullish(),
  availableInDM: z.boolean().nullish(),
  tools: z.array(shortText).max(LIMITS.arrayItems).nullish(),
  workflowIds: idInputs.nullish(),
  workspaceId: id.nullish(),
});
