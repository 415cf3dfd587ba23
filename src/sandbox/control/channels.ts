import type { z } from 'zod';

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
import { ControlError, type Finders } from './find.ts';
import { CHANNEL_REQUESTS as REQUESTS } from './message-requests.ts';

type Request<Name extends keyof typeof REQUESTS> = z.input<(typeof REQUESTS)[Name]>;

/** What people do with channels. Each refuses with a `ControlError` what Slack's page would not offer. */
export interface ChannelControl {
  join(request: Request<'join'>): Promise<void>;
  leave(request: Request<'leave'>): Promise<void>;
  invite(request: Request<'invite'>): Promise<void>;
  kick(request: Request<'kick'>): Promise<void>;
  /** The direct messages of two people, or of a person and an app; with several, those of all. */
  open(request: Request<'open'>): Promise<{ channel: string }>;
  createChannel(request: Request<'createChannel'>): Promise<{ channel: string }>;
  rename(request: Request<'rename'>): Promise<void>;
  topic(request: Request<'topic'>): Promise<void>;
  purpose(request: Request<'purpose'>): Promise<void>;
  archive(request: Request<'archive'>): Promise<void>;
  deleteChannel(request: Request<'deleteChannel'>): Promise<void>;
  share(request: Request<'share'>): Promise<void>;
}

export function createChannelControl(workspace: Workspace, find: Finders): ChannelControl {
  /** The named channel, no direct conversation, with its actor in it. */
  const placeOf = (name: string, user: string): { channel: Channel; person: Person } => {
    const person = find.person(user);
    const channel = ordinary(find.channel(name, user));
    find.mustBeIn(channel, person);
    return { channel, person };
  };
  const mustBeFree = (name: string) => {
    const error =
      channelNameError(name) ?? (workspace.directory.channelByName(name) ? 'name_taken' : undefined);
    if (error !== undefined) throw new ControlError(error);
  };
  const takeOut = (channel: Channel, member: Person, actor: Person) => {
    if (channel.name === 'general') throw new ControlError('nobody leaves the channel "general"');
    if (!removeMember(workspace, channel, member, actor.id))
      throw new ControlError(`"${member.name}" is not in the channel "${channel.name}"`);
  };

  return {
    async join(request) {
      const { channel, user } = REQUESTS.join.parse(request);
      addMember(workspace, find.channel(channel, user), find.person(user));
    },

    async leave(request) {
      const { channel: name, user } = REQUESTS.leave.parse(request);
      const { channel, person } = placeOf(name, user);
      takeOut(channel, person, person);
    },

    async invite(request) {
      const { channel: name, user, member } = REQUESTS.invite.parse(request);
      const { channel, person } = placeOf(name, user);
      addMember(workspace, channel, find.person(member), person.id);
    },

    async kick(request) {
      const { channel: name, user, member } = REQUESTS.kick.parse(request);
      const { channel, person } = placeOf(name, user);
      takeOut(channel, find.person(member), person);
    },

    async open(request) {
      const { user, with: others } = REQUESTS.open.parse(request);
      const people = [user, ...(Array.isArray(others) ? others : [others])].map(
        (name) => find.person(name).id,
      );
      const { channel } = openConversation(workspace, people);
      return { channel: channel.id };
    },

    async createChannel(request) {
      const { user, name, private: isPrivate, members } = REQUESTS.createChannel.parse(request);
      const creator = find.person(user);
      const people = members.map((member) => find.person(member));
      mustBeFree(name);
      const channel = createChannel(workspace, { name, isPrivate, creator });
      for (const person of people) addMember(workspace, channel, person, creator.id);
      return { channel: channel.id };
    },

    async rename(request) {
      const { channel: place, user, name } = REQUESTS.rename.parse(request);
      const { channel, person } = placeOf(place, user);
      if (name !== channel.name) mustBeFree(name);
      renameChannel(workspace, channel, name, person.id);
    },

    async topic(request) {
      const { channel: place, user, topic } = REQUESTS.topic.parse(request);
      const { channel, person } = placeOf(place, user);
      setNote(workspace, channel, 'topic', topic, person.id);
    },

    async purpose(request) {
      const { channel: place, user, purpose } = REQUESTS.purpose.parse(request);
      const { channel, person } = placeOf(place, user);
      setNote(workspace, channel, 'purpose', purpose, person.id);
    },

    async archive(request) {
      const { channel: place, user, archived } = REQUESTS.archive.parse(request);
      const channel = ordinary(find.channel(place, user));
      if (channel.isArchived === archived)
        throw new ControlError(archived ? 'already_archived' : 'not_archived');
      setArchived(workspace, channel, archived, user === undefined ? channel.creator : find.person(user).id);
    },

    async deleteChannel(request) {
      const { channel: place, user } = REQUESTS.deleteChannel.parse(request);
      const channel = ordinary(find.channel(place, user));
      deleteChannel(workspace, channel, find.person(user).id);
    },

    async share(request) {
      const { channel: place, shared, with: team, hostedByThem } = REQUESTS.share.parse(request);
      setShared(workspace, ordinary(find.channel(place, undefined)), { team, shared, hostedByThem });
    },
  };
}

function ordinary(channel: Channel): Channel {
  if (channel.kind === 'im' || channel.kind === 'mpim')
    throw new ControlError('a direct conversation cannot be changed so');
  return channel;
}
