import { z } from 'zod';

import { personRole } from './enums.ts';
import { httpUrl, id, idInputs, instant, name, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery, word } from './lists.ts';

/** One chat account of a user. */
export const chatUser = z.strictObject({
  id,
  chatUserId: z.string(),
  chatTeamId: z.string().nullable(),
  chatAppId: z.string().nullable(),
  chatImageUrl: z.string().nullable(),
  chatRealName: z.string().nullable(),
  chatDisplayName: z.string().nullable(),
  isBot: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
  chatApp: z.strictObject({ appId: z.string() }).nullable(),
});

/** Specification, Resources, User. */
export const user = z
  .strictObject({
    id,
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    email: z.string().nullable(),
    image: z.string().nullable(),
    emailVerified: z.string().nullable(),
    defaultWorkspaceId: id.nullable(),
    isGuestCreated: z.boolean(),
    isBot: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
    idpId: z.string().nullable(),
    /** Since when the user is erased, and named "Deleted user" (beyond the specification). */
    erasedAt: timestamp.nullable(),
    chatUsers: z.array(chatUser),
    /** What the user may do when signed in (beyond the specification, as the next two). */
    role: personRole.nullable(),
    /** The queues of an agent; null: every queue of the workspace. */
    queueIds: z.array(id).nullable(),
    /** Since when the user cannot sign in. */
    deactivatedAt: timestamp.nullable(),
    /** When the user is away: now, or else next (beyond the specification); null: they are not. */
    absence: z.strictObject({ from: timestamp, until: timestamp }).nullable(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof user>;

export const userList = list(user);

export const userListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'firstName', 'lastName', 'email'],
  groupBy: ['isBot', 'isGuestCreated'],
  filters: {
    chatUserId: word,
    role: personRole.nullish(),
    /** Only users who were erased since then; other lists leave them out, unless `set` names them. */
    erasedFrom: instant.nullish(),
  },
});

const email = shortText.refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), 'Expected an e-mail address');

/**
 * `POST /users` (beyond the specification): if the e-mail address or chat account exists, updates and returns that
 * user.
 */
export const userCreate = z.object({
  email: email.nullish(),
  /** A profile's name may be invisible: then the user is shown by another one. */
  firstName: shortText.normalize('NFC').refine((value) => value.trim() !== '', 'Must not be empty'),
  lastName: shortText.nullish(),
  image: httpUrl.nullish(),
  isGuestCreated: z.boolean().nullish(),
  isBot: z.boolean().nullish(),
  chatUsers: z
    .array(
      z.object({
        chatUserId: name,
        chatTeamId: name.nullish(),
        chatAppId: name.nullish(),
        chatImageUrl: httpUrl.nullish(),
        chatRealName: shortText.nullish(),
        chatDisplayName: shortText.nullish(),
        isBot: z.boolean().nullish(),
      }),
    )
    .max(LIMITS.arrayItems)
    .nullish(),
});

/** `PUT /users/{id}` (beyond the specification): only named fields are written; null empties optional ones. */
export const userUpdate = z.object({
  firstName: name.nullish(),
  lastName: shortText.nullish(),
  email: email.nullish(),
  role: personRole.nullish(),
  /** Null: every queue of the workspace. */
  queueIds: idInputs.nullish(),
  /** True ends the user's sessions, and they cannot sign in until it is false. */
  isDeactivated: z.boolean().nullish(),
  /**
   * The admin who gets the API keys and webhooks that the user made, if the user stops being an active admin; absent:
   * the keys are revoked and the webhooks disabled.
   */
  handOverTo: id.nullish(),
});
