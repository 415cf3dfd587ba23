import { openConversation } from '../workspace/channels.ts';
import type { StoredMessage } from '../workspace/content.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { messageRow } from '../workspace/message-store.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Something that the sandbox cannot do as asked; the message says what and what there is instead. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

export type Finders = ReturnType<typeof createFinders>;

/** Finds what a request names, or says what there is. */
export function createFinders(workspace: Workspace) {
  const { directory } = workspace;

  const person = (name: string): Person => {
    const found = directory.people.get(name) ?? directory.personByName(name.replace(/^@/, ''));
    if (found) return found;
    const known = directory.people
      .values()
      .map((one) => one.name)
      .join(', ');
    throw new ControlError(`there is no person "${name}" here; there are: ${known}`);
  };

  return {
    person,

    /** A person of this workspace: an app's commands and shortcuts are not shared with other organisations. */
    ownPerson(name: string): Person {
      const found = person(name);
      if (found.teamId === undefined) return found;
      throw new ControlError(
        `"${found.name}" is of ${found.teamId}: commands and shortcuts are for people of the workspace that installed the app`,
      );
    },

    channel(name: string, as: string | undefined): Channel {
      const found = directory.channels.get(name) ?? directory.channelByName(name.replace(/^#/, ''));
      if (found) return found;
      if (name.startsWith('@') && as !== undefined)
        return openConversation(workspace, [person(as).id, person(name).id]).channel;
      const known = directory.channels
        .values()
        .map((one) => one.name || one.id)
        .join(', ');
      throw new ControlError(`there is no channel "${name}" here; there are: ${known}`);
    },

    app(): App {
      const [app] = directory.apps.values();
      if (!app) throw new ControlError('no app is installed in this workspace');
      return app;
    },

    mustBeIn(channel: Channel, { id, name, deleted }: Person): void {
      if (deleted) throw new ControlError(`"${name}" is deactivated`);
      if (channel.isArchived) throw new ControlError(`the channel "${channel.name}" is archived`);
      if (!channel.members.has(id))
        throw new ControlError(`"${name}" is not in the channel "${channel.name}"; join it first`);
    },

    message(channel: Channel, ts: string): StoredMessage {
      const found = messageRow(workspace.db, channel.id, ts);
      if (!found) throw new ControlError('message_not_found');
      return found;
    },

    ownMessage(channel: Channel, { id, name }: Person, ts: string): void {
      const { author } = this.message(channel, ts);
      if (author !== id) throw new ControlError(`"${name}" did not write this message`);
    },
  };
}
