import { z } from 'zod';

import {
  addMember,
  channelNameError,
  createChannel,
  deleteChannel,
  openConversation,
  removeMember,
  renameChannel,
  setArchived,
  setNote,
  setShared,
} from '../workspace/channels.ts';
import type { Channel, Person } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Context, ControlError, foreignTeam, name, operation, place, placeOf } from './operation.ts';

const note = z.string().max(250);
const member = z.object({ ...place, member: name });

/** What people do with channels. Each refuses with a `ControlError` what Slack's page would not offer. */
export const CHANNEL_OPERATIONS = {
  join: operation(z.object(place), ({ workspace, find }, { channel, user }) => {
    addMember(workspace, find.channel(channel, user), find.person(user));
  }),

  leave: operation(z.object(place), (context, where) => {
    const { channel, person } = ordinaryPlace(context, where);
    takeOut(context, channel, person, person);
  }),

  /** `user` invites `member`. */
  invite: operation(member, (context, { member: wanted, ...where }) => {
    const { channel, person } = ordinaryPlace(context, where);
    addMember(context.workspace, channel, context.find.person(wanted), person.id);
  }),

  /** `user` removes `member`. */
  kick: operation(member, (context, { member: wanted, ...where }) => {
    const { channel, person } = ordinaryPlace(context, where);
    takeOut(context, channel, context.find.person(wanted), person);
  }),

  /** The direct messages of two people, or of a person and an app; with several, those of all. */
  open: operation(
    z.object({ user: name, with: z.union([name, z.array(name).min(1).max(8)]) }),
    ({ workspace, find }, { user, with: others }) => {
      const people = [user, others].flat().map((one) => find.person(one).id);
      return { channel: openConversation(workspace, people).channel.id };
    },
  ),

  createChannel: operation(
    z.object({
      user: name,
      name: z.string(),
      private: z.boolean().default(false),
      members: z.array(name).default([]),
    }),
    ({ workspace, find }, { user, name: wanted, private: isPrivate, members }) => {
      const creator = find.person(user);
      const people = members.map((one) => find.person(one));
      mustBeFree(workspace, wanted);
      const channel = createChannel(workspace, { name: wanted, isPrivate, creator });
      for (const person of people) addMember(workspace, channel, person, creator.id);
      return { channel: channel.id };
    },
  ),

  rename: operation(z.object({ ...place, name: z.string() }), (context, { name: wanted, ...where }) => {
    const { channel, person } = ordinaryPlace(context, where);
    if (wanted !== channel.name) mustBeFree(context.workspace, wanted);
    renameChannel(context.workspace, channel, wanted, person.id);
  }),

  topic: operation(z.object({ ...place, topic: note }), (context, { topic, ...where }) => {
    const { channel, person } = ordinaryPlace(context, where);
    setNote(context.workspace, channel, 'topic', topic, person.id);
  }),

  purpose: operation(z.object({ ...place, purpose: note }), (context, { purpose, ...where }) => {
    const { channel, person } = ordinaryPlace(context, where);
    setNote(context.workspace, channel, 'purpose', purpose, person.id);
  }),

  /** Without `user`: by who made the channel. */
  archive: operation(
    z.object({ channel: name, user: name.optional(), archived: z.boolean().default(true) }),
    ({ workspace, find }, { channel: where, user, archived }) => {
      const channel = ordinary(find.channel(where, user));
      if (channel.isArchived === archived)
        throw new ControlError(archived ? 'already_archived' : 'not_archived');
      setArchived(workspace, channel, archived, user === undefined ? channel.creator : find.person(user).id);
    },
  ),

  deleteChannel: operation(z.object(place), ({ workspace, find }, { channel, user }) =>
    deleteChannel(workspace, ordinary(find.channel(channel, user)), find.person(user).id),
  ),

  /** Shares a channel with another organisation's workspace, or takes that back; `hostedByThem`: they made it. */
  share: operation(
    z.object({
      channel: name,
      shared: z.boolean().default(true),
      with: foreignTeam.default('T0PARTNER'),
      hostedByThem: z.boolean().default(false),
    }),
    ({ workspace, find }, { channel, with: team, ...how }) =>
      setShared(workspace, ordinary(find.channel(channel, undefined)), { team, ...how }),
  ),
};

/** The named channel, no direct conversation, with its actor in it. */
function ordinaryPlace(context: Context, where: { channel: string; user: string }) {
  ordinary(context.find.channel(where.channel, where.user));
  return placeOf(context, where);
}

function ordinary(channel: Channel): Channel {
  if (channel.kind === 'im' || channel.kind === 'mpim')
    throw new ControlError('a direct conversation cannot be changed so');
  return channel;
}

function mustBeFree({ directory }: Workspace, wanted: string): void {
  const error = channelNameError(wanted) ?? (directory.channelByName(wanted) ? 'name_taken' : undefined);
  if (error !== undefined) throw new ControlError(error);
}

function takeOut({ workspace }: Context, channel: Channel, person: Person, actor: Person): void {
  if (channel.name === 'general') throw new ControlError('nobody leaves the channel "general"');
  if (!removeMember(workspace, channel, person, actor.id))
    throw new ControlError(`"${person.name}" is not in the channel "${channel.name}"`);
}
