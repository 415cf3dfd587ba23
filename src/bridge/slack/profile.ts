import { z } from 'zod';

import { fingerprint } from './ids.ts';

const text = z.string().nullish().catch(undefined);

/** A user object as in `users.info` and `user_change` (https://docs.slack.dev/reference/objects/user-object). */
export const RawUser = z.object({
  id: z.string(),
  team_id: text,
  name: text,
  deleted: z.boolean().catch(false),
  is_bot: z.boolean().catch(false),
  /** Includes owners. */
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

/** A Slack user in our own terms. */
export type ChatProfile = ReturnType<typeof profileOf>;

/** The workspace: a user of another one is a guest. */
export interface Home {
  team: string;
  enterprise?: string | undefined;
}

export function profileOf(raw: RawUser, home: Home) {
  const { profile } = raw;
  const real = visibleText(profile.real_name) ?? visibleText(raw.name) ?? raw.id;
  const [first = real, ...rest] = real.split(/\s+/);
  const isForeign = isOfAnotherOrganisation(raw, home);
  return {
    id: raw.id,
    displayName: visibleText(profile.display_name) ?? real,
    firstName: visibleText(profile.first_name) ?? first,
    lastName: visibleText(profile.last_name) ?? visibleText(rest.join(' ')),
    /** Absent for users of other organisations: their own administrators set it, so it proves nothing here. */
    email: isForeign ? undefined : visibleText(profile.email),
    image: visibleText(profile.image_192),
    isBot: raw.is_bot,
    /** An admin or owner of this workspace. */
    isAdmin: raw.is_admin && !isForeign,
    /** A guest, or a user of another organisation. */
    isGuest: raw.is_restricted || raw.is_ultra_restricted || isForeign,
    /** Deactivated. */
    isDeleted: raw.deleted,
    timeZone: visibleText(raw.tz),
  };
}

/** Returns a field of a profile; undefined if it is absent, empty or invisible. */
function visibleText(value: string | null | undefined): string | undefined {
  return value && /[\p{L}\p{N}\p{P}\p{S}]/u.test(value) ? value.trim() : undefined;
}

/**
 * Returns a profile for a user who is not visible to us.
 * @param label the name in a mention of them, if any.
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

/** Returns a digest of a profile: equal if nothing relevant has changed. */
export function profileDigest(profile: ChatProfile): string {
  // Slack omits the time zone and the flags of a deactivated user; admins are always checked with Slack.
  const { timeZone: _, isAdmin: __, ...lasting } = profile;
  const relevant = profile.isDeleted ? [profile.id, 'deactivated'] : [lasting, profile.timeZone];
  return fingerprint(relevant);
}

/** Slack Connect (`is_stranger`, another `team_id`); a workspace of the same organisation does not count. */
function isOfAnotherOrganisation(raw: RawUser, { team, enterprise }: Home): boolean {
  if (raw.is_stranger) return true;
  if (!raw.team_id || raw.team_id === team || raw.team_id === enterprise) return false;
  const grid = raw.enterprise_user;
  const sameGrid = enterprise !== undefined && grid?.enterprise_id === enterprise;
  return !(sameGrid || grid?.teams.includes(team));
}
