import type { Reading } from '../rich-text/inline.ts';
import type { Directory } from './directory.ts';

/** How names and channels in a text are understood in this workspace. */
export function readingOf(directory: Directory, typed: boolean): Reading {
  return {
    typed,
    userId: (name) => directory.personByName(name)?.id,
    channelId: (name) => directory.channelByName(name)?.id,
    groupId: (handle) => {
      const group = directory.groupByHandle(handle);
      return group === undefined || group.deletedAt > 0 ? undefined : group.id;
    },
    channelName: (id) => directory.channels.get(id)?.name,
  };
}
