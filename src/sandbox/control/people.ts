import { z } from 'zod';

import { emojiName, groupHandle, role, timeZone } from '../seed.ts';
import { addPerson, changePerson, otherBot, putEmoji } from '../workspace/people.ts';
import { putGroup } from '../workspace/usergroups.ts';
import { type Context, ControlError, foreignTeam, name as nameOrId, operation } from './operation.ts';

export const personName = z
  .string()
  .regex(/^[^\s@<>|]{1,80}$/, 'a name has up to 80 characters and no spaces');
const email = z.email().or(z.literal(''));
const optional = {
  displayName: z.string().max(80).optional(),
  title: z.string().optional(),
  role: role.optional(),
};
/** A person to add, as `add-person` and `add-workspace` take it. */
export const newPerson = {
  name: personName,
  firstName: z.string().default(''),
  lastName: z.string().default(''),
  email: email.default(''),
  timeZone: timeZone.default('UTC'),
};

/** People, user groups and emoji. */
export const PEOPLE_OPERATIONS = {
  /** `teamId`: the workspace of someone from another organisation (Slack Connect). */
  addPerson: operation(
    z.object({ ...newPerson, ...optional, teamId: foreignTeam.optional() }),
    (context, wanted) => {
      mustBeFree(context, wanted.name);
      return { user: addPerson(context.workspace, { ...wanted, role: wanted.role ?? 'member' }).id };
    },
  ),

  /** `deleted`: deactivated. `picture`: another word is another picture; empty is the default picture. */
  changePerson: operation(
    z.object({
      user: nameOrId,
      ...z
        .object({ name: personName, firstName: z.string(), lastName: z.string(), email, timeZone })
        .partial().shape,
      deleted: z.boolean().optional(),
      picture: z.string().max(200).optional(),
      ...optional,
    }),
    (context, { user, ...change }) => {
      const person = context.find.person(user);
      if (change.name !== undefined) mustBeFree(context, change.name, person.id);
      changePerson(context.workspace, person, change);
    },
  ),

  /** A bot of another app, or a workflow's: they are listed and can post, but do not run here. */
  addBot: operation(
    z.object({ name: personName, workflow: z.boolean().default(false) }),
    (context, { name, workflow }) => {
      mustBeFree(context, name);
      const { id, user_id } = otherBot(context.workspace, name, workflow);
      return { user: user_id, bot: id };
    },
  ),

  /** Creates the group with this handle, or changes the given fields; `users` are all its members. */
  userGroup: operation(
    z.object({
      user: nameOrId,
      handle: groupHandle,
      name: nameOrId.optional(),
      description: z.string().optional(),
      users: z.array(z.string()).optional(),
      channels: z.array(z.string()).optional(),
      enabled: z.boolean().optional(),
    }),
    ({ workspace, find }, { user, users, channels, ...wanted }) => {
      const { id } = putGroup(workspace, {
        ...wanted,
        by: find.person(user).id,
        users: users?.map((one) => find.person(one).id),
        channels: channels?.map((one) => find.channel(one, undefined).id),
      });
      return { group: id };
    },
  ),

  /** Without `url` the sandbox draws its picture. */
  emoji: operation(
    z.object({
      name: emojiName,
      url: z.url({ protocol: /^https?$/ }).optional(),
      aliasFor: emojiName.optional(),
      remove: z.boolean().default(false),
    }),
    ({ workspace }, { name, url, aliasFor, remove }) => {
      const value = aliasFor === undefined ? (url ?? '') : `alias:${aliasFor}`;
      putEmoji(workspace, name, remove ? undefined : value);
    },
  ),
};

function mustBeFree({ workspace }: Context, wanted: string, except?: string): void {
  const holder = workspace.directory.personByName(wanted);
  if (holder && holder.id !== except) throw new ControlError(`the name "${wanted}" is taken`);
}
