import type { Metadata } from './content.ts';
import { newRow, store } from './rows.ts';
import { joinThread } from './threads.ts';
import type { Workspace } from './workspace.ts';
import { writtenByApp, writtenByPerson } from './write.ts';

/** A message of the past. */
export interface PastMessage {
  /** The channel's id. */
  channel: string;
  ts: string;
  threadTs?: string;
  text: string;
  /** The id of who wrote it; absent: the app did, under `username` where that is given. */
  user?: string;
  username?: string;
  metadata?: Metadata | undefined;
}

/** Adds what was said before the workspace began; a root stands before its replies. No app is told of it. */
export function addHistory(workspace: Workspace, messages: readonly PastMessage[]): void {
  const { db, directory, ids } = workspace;
  const [app] = directory.apps.values();
  db.transaction(() => {
    for (const { channel: id, ts, threadTs, user, text, username, metadata } of messages) {
      const channel = directory.channels.get(id);
      const person = user === undefined ? undefined : directory.people.get(user);
      const author = person?.id ?? app?.botUserId;
      if (!channel || !app || author === undefined)
        throw new TypeError(`nobody can have said this in ${id}: ${ts}`);
      const { content, autoBlocks } = person
        ? writtenByPerson(directory, ids, person, text)
        : writtenByApp(workspace, app, { text, username, metadata });
      const root = threadTs === undefined ? undefined : joinThread(db, id, threadTs, { ts, author });
      const said = root ? { ...content, parent_user_id: root.author } : content;
      store({ db }, newRow({ channel, ts }, { author, autoBlocks }, said, root?.ts ?? null, false));
    }
  });
}
