import { z } from 'zod';

import { emojiName, groupHandle, role, timeZone } from '../seed.ts';
import { foreignTeam } from './fields.ts';
import { addPerson, changePerson, otherBot, putEmoji } from '../workspace/people.ts';
import { putGroup } from '../workspace/usergroups.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ControlError, type Finders } from './find.ts';

const name = z.string().regex(/^[^\s@<>|]{1,80}$/, 'a name has up to 80 characters and no spaces');
const who = {
  displayName: z.string().max(80).optional(),
  title: z.string().optional(),
  role: role.optional(),
};

const REQUESTS = {
  addPerson: z.object({
    name,
    firstName: z.string().default(''),
    lastName: z.string().default(''),
    email: z.email().or(z.literal('')).default(''),
    timeZone: timeZone.default('UTC'),
    /** The workspace of someone from another organisation (Slack Connect). */
    teamId: foreignTeam.optional(),
    ...who,
  }),
  changePerson: z.object({
    user: z.string().min(1),
    name: name.optional(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    email: z.email().or(z.literal('')).optional(),
    timeZone: timeZone.optional(),
    /** Deactivated, or active again. */
    deleted: z.boolean().optional(),
    /** Any word: another word is another picture; empty is the one everybody has at first. */
    picture: z.string().max(200).optional(),
    ...who,
  }),
  addBot: z.object({ name, workflow: z.boolean().default(false) }),
  userGroup: z.object({
    /** Who makes or changes it. */
    user: z.string().min(1),
    handle: groupHandle,
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    /** All who shall be in it. */
    users: z.array(z.string()).optional(),
    channels: z.array(z.string()).optional(),
    enabled: z.boolean().optional(),
  }),
  emoji: z.object({
    name: emojiName,
    /** Its picture; absent for one that the sandbox draws. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    aliasFor: emojiName.optional(),
    remove: z.boolean().default(false),
  }),
} as const;

type Request<Name extends keyof typeof REQUESTS> = z.input<(typeof REQUESTS)[Name]>;

/** Who there is, and what groups and emoji they have. */
export interface PeopleControl {
  addPerson(request: Request<'addPerson'>): Promise<{ user: string }>;
  changePerson(request: Request<'changePerson'>): Promise<void>;
  /** A bot of another app, or a workflow's: they are listed and may speak, nobody runs them here. */
  addBot(request: Request<'addBot'>): Promise<{ user: string; bot: string }>;
  /** Makes the group of this handle, or changes what is named. */
  userGroup(request: Request<'userGroup'>): Promise<{ group: string }>;
  emoji(request: Request<'emoji'>): Promise<void>;
}

export function createPeopleControl(workspace: Workspace, find: Finders): PeopleControl {
  const { directory } = workspace;
  const mustBeFree = (wanted: string, except?: string) => {
    const holder = directory.personByName(wanted);
    if (holder && holder.id !== except) throw new ControlError(`the name "${wanted}" is taken`);
  };

  return {
    async addPerson(request) {
      const wanted = REQUESTS.addPerson.parse(request);
      mustBeFree(wanted.name);
      const { id } = addPerson(workspace, { ...wanted, role: wanted.role ?? 'member' });
      return { user: id };
    },

    async changePerson(request) {
      const { user, ...change } = REQUESTS.changePerson.parse(request);
      const person = find.person(user);
      if (change.name !== undefined) mustBeFree(change.name, person.id);
      changePerson(workspace, person, change);
    },

    async addBot(request) {
      const { name: wanted, workflow } = REQUESTS.addBot.parse(request);
      mustBeFree(wanted);
      const { id, user_id } = otherBot(workspace, wanted, workflow);
      return { user: user_id, bot: id };
    },

    async userGroup(request) {
      const { user, users, channels, ...wanted } = REQUESTS.userGroup.parse(request);
      const { id } = putGroup(workspace, {
        ...wanted,
        by: find.person(user).id,
        users: users?.map((one) => find.person(one).id),
        channels: channels
          ? await Promise.all(channels.map(async (one) => find.channel(one, undefined).id))
          : undefined,
      });
      return { group: id };
    },

    async emoji(request) {
      const { name: wanted, url, aliasFor, remove } = REQUESTS.emoji.parse(request);
      const value = aliasFor === undefined ? (url ?? '') : `alias:${aliasFor}`;
      putEmoji(workspace, wanted, remove ? undefined : value);
    },
  };
}
