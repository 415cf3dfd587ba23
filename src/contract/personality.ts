import { z } from 'zod';

import { id, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';

/** Specification, Resources, Workspace, `activePersonality`: how an AI agent writes. */
export const personality = z
  .strictObject({
    id,
    workspaceId: id.nullable(),
    persona: z.string().nullable(),
    tone: z.string().nullable(),
    emoji: z.string().nullable(),
    length: z.string().nullable(),
    greeting: z.string().nullable(),
    branding: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Personality' });
export type Personality = z.output<typeof personality>;

export const personalityList = list(personality);

export const personalityListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'persona'],
  groupBy: ['tone'],
  filters: {},
});

const longText = z.string().max(LIMITS.ticketDescription).nullish();

/** `POST /personalities` (beyond the specification); an existing `id` updates that one. */
export const personalitySave = z.object({
  id: id.nullish(),
  persona: longText,
  tone: shortText.nullish(),
  emoji: shortText.nullish(),
  length: shortText.nullish(),
  greeting: longText,
  branding: longText,
  workspaceId: id.nullish(),
});
