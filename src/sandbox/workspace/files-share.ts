import type { Database } from '../store/database.ts';
import type { FileShare, MessageContent, MessageFile, SharePlan, StoredMessage } from './content.ts';
import type { App, Channel } from './directory.ts';
import type { Change, EventBody, Workspace } from './workspace.ts';
import { fileObject, maySee, type StoredFile } from './files.ts';
import { emitChanged, noteOnceDone, readMessage, updateMessage } from './message-store.ts';
import { postMessage } from './messages.ts';
import { eventTs } from './people.ts';

/** The text and place of a message with files. */
export interface ShareWords {
  content: MessageContent;
  autoBlocks: boolean;
  author: string;
  threadTs?: string | undefined;
}

/**
 * Plans to show uploaded files in these channels, or in none: then they are only processed. The call that asks is
 * answered before they are shown, as in Slack: `file_created` now, the message with `file_shared` later.
 */
export function planFiles(
  workspace: Workspace,
  files: readonly StoredFile[],
  channels: readonly Channel[],
  words: ShareWords,
): void {
  const plan: SharePlan = {
    files: files.map(({ id }) => id),
    channels: channels.map(({ id }) => id),
    content: words.content,
    autoBlocks: words.autoBlocks,
    author: words.author,
    ...(words.threadTs === undefined ? {} : { threadTs: words.threadTs }),
  };
  const { db } = workspace;
  db.transaction(() => {
    for (const [index, { id, title }] of files.entries())
      db.update('file', { id }, { state: 'sharing', title, plan: index === 0 ? plan : null });
  });
  for (const file of files)
    workspace.tell(fileEvent(workspace, 'file_created', file), uploaderOf(workspace, file));
  workspace.showLater(plan);
}

/** Executes stored plans; also after a restart. */
export class FileShares {
  readonly #workspace: Workspace;
  readonly #planned = new Set<NodeJS.Immediate>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Resumes plans from before the last stop. */
  resume(): void {
    const rows = this.#workspace.db
      .query<{ plan: SharePlan }>('select plan from file where plan is not null and team_id = ? order by id')
      .all(this.#workspace.directory.team.id);
    for (const { plan } of rows) this.start(plan);
  }

  /** Stops; the next start resumes. */
  stop(): void {
    for (const planned of this.#planned) clearImmediate(planned);
    this.#planned.clear();
  }

  /** Executes a plan (`planFiles`) after the call is answered. */
  start(plan: SharePlan): void {
    const planned = setImmediate(() => {
      this.#planned.delete(planned);
      try {
        this.#show(plan);
      } catch {
        // It stays planned; the next start tries again.
        const [file = ''] = plan.files;
        this.#workspace.journal.record('file', { file, change: 'share_failed' });
      }
    });
    this.#planned.add(planned);
  }

  #show(plan: SharePlan): void {
    const workspace = this.#workspace;
    const files = filesOf(workspace.db, plan.files);
    for (const [index, id] of plan.channels.entries()) {
      const channel = workspace.directory.channels.get(id);
      const left = plan.channels.slice(index + 1);
      if (channel)
        showFiles(workspace, channel, files, plan, left.length > 0 ? { ...plan, channels: left } : null);
    }
    for (const id of plan.files)
      workspace.db.update('file', { id, state: 'sharing' }, { state: 'processed', plan: null });
    for (const file of files) {
      workspace.tell(fileEvent(workspace, 'file_change', file), uploaderOf(workspace, file));
      workspace.journal.record('file', { file: file.id, change: 'shared' });
    }
  }
}

/** The event of a file without a place goes to its app alone. */
function uploaderOf({ directory }: Workspace, { app_id }: StoredFile): App[] {
  return directory.apps.values().filter(({ id }) => id === app_id);
}

/**
 * Posts the message that shows files (`file_share`), with `file_shared` for each before it. The files' own rows change
 * in the same transaction; `plan` is what is left to do afterwards.
 */
export function showFiles(
  workspace: Workspace,
  channel: Channel,
  files: readonly StoredFile[],
  words: ShareWords,
  plan: SharePlan | null,
): StoredMessage {
  const shown = files.map((file): StoredFile => ({
    ...file,
    state: 'processed',
    shares: [...file.shares, { channel: channel.id, ts: '' }],
  }));
  return postMessage(workspace, channel, {
    author: words.author,
    autoBlocks: words.autoBlocks,
    threadTs: words.threadTs,
    content: {
      ...words.content,
      subtype: 'file_share',
      upload: true,
      display_as_bot: false,
      files: shown.map((file) => fileObject(workspace, workspace.baseUrl, file) as MessageFile),
    },
    also: (change, message) => noteShares(workspace, change, message, files, plan),
  });
}

function noteShares(
  workspace: Workspace,
  change: Change,
  message: StoredMessage,
  files: readonly StoredFile[],
  plan: SharePlan | null,
): void {
  const share: FileShare = {
    channel: change.channel.id,
    ts: message.ts,
    ...(message.thread_ts === null ? {} : { threadTs: message.thread_ts }),
  };
  const current = filesOf(
    change.db,
    files.map(({ id }) => id),
  );
  for (const [index, file] of current.entries()) {
    change.db.update(
      'file',
      { id: file.id },
      { state: 'processed', shares: [...file.shares, share], plan: index === 0 ? plan : null },
    );
    change.emit({ ...fileEvent(workspace, 'file_shared', file), channel_id: change.channel.id });
    change.afterwards(() => workspace.journal.record('file', { file: file.id, change: 'shared' }));
  }
}

function filesOf(db: Database, ids: readonly string[]): StoredFile[] {
  return ids.flatMap((id) => db.query<StoredFile>('select * from file where id = ?').all(id));
}

/** docs.slack.dev/reference/events/{file_created, file_shared, file_change}: the file itself is asked for by id. */
export function fileEvent<Type extends 'file_created' | 'file_shared' | 'file_change'>(
  workspace: Workspace,
  type: Type,
  file: StoredFile,
): EventBody & { type: Type; file_id: string; user_id: string; file: { id: string }; event_ts: string } {
  return {
    type,
    file_id: file.id,
    user_id: file.user_id,
    file: { id: file.id },
    event_ts: eventTs(workspace),
  };
}

/**
 * Deletes a file and its bytes: what showed it now has a tombstone in its place (`message_changed`), and who could see
 * it is notified (`file_deleted`).
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
      const before = readMessage(change, share.ts);
      if (!before?.content.files) return;
      const files = before.content.files.map((one) =>
        one.id === file.id ? { id: file.id, mode: 'tombstone' } : one,
      );
      const after = { ...before, content: { ...before.content, files } };
      updateMessage(change, after);
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
