import type { ChannelKind } from '../../store/tables.ts';
import type { Channel } from '../../workspace/directory.ts';
import { type Call, mayUse, SlackError } from '../method.ts';

const KIND_OF_TYPE: Record<string, ChannelKind> = {
  public_channel: 'channel',
  private_channel: 'group',
  im: 'im',
  mpim: 'mpim',
};

/** The conversations of the asked-for `types` (default: public channels) that exist for the app. */
export function ofTypes(call: Call, types: string | undefined, excludeArchived: boolean): Channel[] {
  const kinds = (types === undefined || types === '' ? 'public_channel' : types).split(',').map((type) => {
    const kind = KIND_OF_TYPE[type.trim()];
    if (!kind) throw new SlackError('invalid_types');
    mayUse(call, kind);
    return kind;
  });
  return [...call.workspace.directory.channels.values(), ...sharedWith(call)].filter(
    (channel) =>
      kinds.includes(channel.kind) &&
      (channel.kind === 'channel' || channel.members.has(call.app.botUserId)) &&
      !(excludeArchived && channel.isArchived),
  );
}

/** Channels of other workspaces of the organisation that this one has too. */
function sharedWith({ workspaces, workspace }: Call): Channel[] {
  const { id } = workspace.directory.team;
  return workspaces.all.flatMap(({ directory }) =>
    directory.channels.values().filter((channel) => channel.sharedWith.includes(id)),
  );
}
