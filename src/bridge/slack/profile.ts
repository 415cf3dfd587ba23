import { createHash } from 'node:crypto';

import { z } from 'zod';

const text = z.string().nullish().catch(undefined);

/** A user object as `users.info` and `user_change` carry it (https://docs.slack.dev/reference/objects/user-object). */
export const RawUser = z.object({
  id: z.string(),
  team_id: text,
  name: text,
  deleted: z.boolean().catch(false),
  is_bot: z.boolean().catch(false),
  /** Owners too. */
  is_admin: z.boolean().catch(false),
  is_restricted: z.boolean().catch(false),
  is_ultra_restricted: z.boolean().catch(false),
  is_stranger: z.boolean().catch(false),
  enterprise_user: z
    .object({ enterprise_id: text, teams: z.array(z.string()).catch([]) })
    .nullish()
    .catch(undefined),
  tz: text,
  profile: z
    .object({
      email: z.string().nullish().catch(undefined),
      real_name: text,
      display_name: text,
      first_name: text,
      last_name: text,
      image_192: text,
    })
    .catch({}),
});
export type RawUser = z.infer<typeof RawUser>;

/** A person of chat in our own terms. */
export interface ChatProfile {
  id: string;
  displayName: string;
  firstName: string;
  lastName: string | undefined;
  /** Absent for people of other organisations: their own administrators write it, so it proves nothing here. */
  email: string | undefined;
  image: string | undefined;
  isBot: boolean;
  /** An admin or owner of this very workspace. */
  isAdmin: boolean;
  /** A guest, or somebody of another organisation. */
  isGuest: boolean;
  /** Deactivated. */
  isDeleted: boolean;
  timeZone: string | undefined;
}

/** Whose workspace it is: who is of another one is a guest. */
export interface Home {
  team: string;
  /** The organisation that the workspace belongs to, on Enterprise Grid. */
  enterprise?: string | undefined;
}

export function profileOf(raw: RawUser, home: Home): ChatProfile {
  const { profile } = raw;
  const real = profile.real_name || raw.name || raw.id;
  const [first = real, ...rest] = real.split(' ');
  const isForeign = isOfAnotherOrganisation(raw, home);
  return {
    id: raw.id,
    displayName: profile.display_name || real,
    firstName: profile.first_name || first,
    lastName: profile.last_name || rest.join(' ') || undefined,
    email: isForeign ? undefined : profile.email || undefined,
    image: profile.image_192 ?? undefined,
    isBot: raw.is_bot,
    isAdmin: raw.is_admin && !isForeign,
    isGuest: raw.is_restricted || raw.is_ultra_restricted || isForeign,
    isDeleted: raw.deleted,
    timeZone: raw.tz ?? undefined,
  };
}

/**
 * Somebody whom chat does not show: they wrote what they wrote.
 * @param label the name that a mention of them carries, where one is known.
 */
export function unknownProfile(id: string, label = id): ChatProfile {
  return {
    id,
    displayName: label,
    firstName: label,
    lastName: undefined,
    email: undefined,
    image: undefined,
    isBot: false,
    isAdmin: false,
    isGuest: true,
    isDeleted: false,
    timeZone: undefined,
  };
}

/** What a profile says, in short: equal when nothing that the bridge keeps or passes on has changed. */
export function digestOf(profile: ChatProfile): string {
  // The time zone and the flags of a deactivated person are left out by chat; who is an admin is always asked anew.
  const { timeZone: _, isAdmin: __, ...lasting } = profile;
  const told = profile.isDeleted ? [profile.id, 'deactivated'] : [lasting, profile.timeZone];
  return createHash('sha256').update(JSON.stringify(told)).digest('base64url').slice(0, 22);
}

/** Slack Connect (`is_stranger`, another `team_id`); a workspace of the same organisation is no other one. */
function isOfAnotherOrganisation(raw: RawUser, { team, enterprise }: Home): boolean {
  if (raw.is_stranger) return true;
  if (!raw.team_id || raw.team_id === team || raw.team_id === enterprise) return false;
  const grid = raw.enterprise_user;
  const sameGrid = enterprise !== undefined && grid?.enterprise_id === enterprise;
  return !(sameGrid || grid?.teams.includes(team));
}
