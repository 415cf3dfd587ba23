import type { StoredFile } from './files-store.ts';
import { maySee } from './files-store.ts';
import { emitChanged, noteOnceDone } from './message-events.ts';
import { eventTs } from './people.ts';
import { lock, save } from './rows.ts';
import type { Workspace } from './workspace.ts';

/**
 * Deletes a file and its bytes: what showed it now has a tombstone in its place (`message_changed`), and who could see
 * it is told (`file_deleted`).
 */
export async function deleteFile(workspace: Workspace, file: StoredFile): Promise<void> {
  const { db, directory } = workspace;
  const hearers = [...directory.apps.values()].filter((app) => maySee(workspace, app, file));
  await db.deleteFrom('file_bytes').where('file_id', '=', file.id).execute();
  await db.updateTable('file').set({ state: 'deleted', plan: null }).where('id', '=', file.id).execute();
  for (const share of file.shares) {
    const channel = directory.channels.get(share.channel);
    if (!channel) continue;
    await workspace.change(channel, async (change) => {
      const before = await lock(change, share.ts);
      if (!before?.content.files) return;
      const files = before.content.files.map((one) =>
        one.id === file.id ? { id: file.id, mode: 'tombstone' } : one,
      );
      const after = { ...before, content: { ...before.content, files } };
      await save(change, after);
      emitChanged(change, before, after);
      noteOnceDone(workspace, change, after, 'changed');
    });
  }
  await workspace.tell(
    {
      type: 'file_deleted',
      file_id: file.id,
      channel_ids: [...new Set(file.shares.map(({ channel }) => channel))],
      event_ts: eventTs(workspace),
    },
    hearers,
  );
  workspace.journal.record('file', { file: file.id, change: 'deleted' });
}
