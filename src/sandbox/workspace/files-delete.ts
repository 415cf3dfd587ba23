import type { StoredFile } from './files-store.ts';
import { maySee } from './files-store.ts';
import { emitChanged, noteOnceDone } from './message-events.ts';
import { eventTs } from './people.ts';
import { read, save } from './rows.ts';
import type { Workspace } from './workspace.ts';

/**
 * Deletes a file and its bytes: what showed it now has a tombstone in its place (`message_changed`), and who could see
 * it is told (`file_deleted`).
 */
export function deleteFile(workspace: Workspace, file: StoredFile): void {
  const { db, directory } = workspace;
  const hearers = directory.apps.values().filter((app) => maySee(workspace, app, file));
  db.run('delete from file_bytes where file_id = ?', file.id);
  db.update('file', { id: file.id }, { state: 'deleted', plan: null });
  for (const share of file.shares) {
    const channel = directory.channels.get(share.channel);
    if (!channel) continue;
    workspace.change(channel, (change) => {
      const before = read(change, share.ts);
      if (!before?.content.files) return;
      const files = before.content.files.map((one) =>
        one.id === file.id ? { id: file.id, mode: 'tombstone' } : one,
      );
      const after = { ...before, content: { ...before.content, files } };
      save(change, after);
      emitChanged(change, before, after);
      noteOnceDone(workspace, change, after, 'changed');
    });
  }
  workspace.tell(
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
