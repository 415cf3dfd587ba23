import { z } from 'zod';

import { LIMITS } from '../../limits.ts';
import type { Channel } from '../../workspace/directory.ts';
import { deleteFile, planFiles } from '../../workspace/files-share.ts';
import {
  FileLimitError,
  fileWithShares,
  findFile,
  isPicture,
  kindOf,
  maySee,
  promiseFile,
  type StoredFile,
} from '../../workspace/files.ts';
import { isTs } from '../../workspace/timestamps.ts';
import { writtenByApp } from '../../workspace/write.ts';
import { blocksArgument } from '../message-arguments.ts';
import {
  type Call,
  json,
  list,
  memberChannelFor,
  method,
  targetChannel,
  required,
  SlackError,
  text,
  whole,
} from '../method.ts';

const named = z.object({ id: required, title: text.optional() });

/**
 * docs.slack.dev/reference/methods/{files.getUploadURLExternal, files.completeUploadExternal, files.info, files.list,
 * files.delete, files.upload}
 */
export const FILES = [
  method(
    'files.getUploadURLExternal',
    {
      filename: required,
      length: whole,
      alt_txt: text.optional(),
      alt_text: text.optional(),
      snippet_type: text.optional(),
    },
    async ({ workspace, app, baseUrl }, args) => {
      if (args.length <= 0) throw new SlackError('missing_argument');
      const altText = args.alt_txt ?? args.alt_text;
      if ((altText?.length ?? 0) > LIMITS.altTextChars) throw new SlackError('alt_txt_too_large');
      if (args.snippet_type !== undefined && args.length > LIMITS.snippetBytes)
        throw new SlackError('snippet_too_large');
      try {
        const file = promiseFile(workspace, {
          user: app.botUserId,
          app,
          name: args.filename,
          altText,
          snippetType: args.snippet_type,
          size: args.length,
        });
        return { upload_url: `${baseUrl}/upload/v1/${file.upload_secret}`, file_id: file.id };
      } catch (error) {
        if (!(error instanceof FileLimitError)) throw error;
        throw new SlackError(
          error.limit === 'size' ? 'file_upload_size_restricted' : 'storage_limit_reached',
        );
      }
    },
  ),

  method(
    'files.completeUploadExternal',
    {
      files: json(z.array(named).min(1)),
      channel_id: text.optional(),
      channels: list.optional(),
      thread_ts: text.refine((ts) => ts === '' || isTs(ts), 'invalid thread_ts').optional(),
      initial_comment: text.optional(),
      blocks: json(z.unknown()).optional(),
    },
    async (call, args) => {
      const { workspace, app, baseUrl } = call;
      const files = args.files.map((one) => uploaded(call, one));
      const channels = uploadChannels(call, args.channel_id, args.channels ?? []);
      if (args.thread_ts && channels.length > 1) throw new SlackError('invalid_arguments');
      const comment = args.initial_comment ?? '';
      const written = writtenByApp(workspace, app, {
        text: comment.slice(0, LIMITS.postTextChars),
        ...(comment === '' ? { blocks: blocksArgument(args.blocks) } : {}),
      });
      planFiles(workspace, files, channels, {
        ...written,
        author: app.botUserId,
        threadTs: args.thread_ts || undefined,
      });
      // Not processed yet: kind and shares come later, as with Slack.
      return { files: files.map((file) => fileWithShares(workspace, baseUrl, file)) };
    },
  ),

  method('files.info', { file: required }, async (call, args) => ({
    file: fileWithShares(call.workspace, call.baseUrl, fileFor(call, args.file)),
    comments: [],
    response_metadata: { next_cursor: '' },
  })),

  method(
    'files.list',
    {
      channel: text.optional(),
      user: text.optional(),
      ts_from: text.optional(),
      ts_to: text.optional(),
      types: text.optional(),
      count: whole.optional(),
      page: whole.optional(),
    },
    async (call, args) => {
      const { files, paging } = filesPage(call, args);
      return { files: files.map((file) => fileWithShares(call.workspace, call.baseUrl, file)), paging };
    },
  ),

  method('files.delete', { file: required }, async (call, args) => {
    const file = fileFor(call, args.file);
    if (file.app_id !== call.app.id) throw new SlackError('cant_delete_file');
    deleteFile(call.workspace, file);
    return {};
  }),

  method('files.upload', z.looseObject({}), async () => {
    throw new SlackError('method_deprecated');
  }),
];

/** A file of the app's own whose bytes have come, under the title given now. */
function uploaded(
  { workspace, app }: Call,
  { id, title }: { id: string; title?: string | undefined },
): StoredFile {
  const file = findFile(workspace, id);
  if (file?.app_id !== app.id || file.state !== 'uploaded') throw new SlackError('file_not_found');
  return title === undefined || title === '' ? file : { ...file, title };
}

function uploadChannels(call: Call, channelId: string | undefined, channels: readonly string[]): Channel[] {
  const places = channelId ? [memberChannelFor(call, channelId)] : [];
  for (const name of channels) places.push(targetChannel(call, name));
  const unique = [...new Set(places)];
  if (unique.some(({ isArchived }) => isArchived)) throw new SlackError('is_archived');
  return unique;
}

function fileFor({ workspace, app }: Call, id: string): StoredFile {
  const file = findFile(workspace, id);
  if (!file || file.state === 'promised' || !maySee(workspace, app, file))
    throw new SlackError('file_not_found');
  if (file.state === 'deleted') throw new SlackError('file_deleted');
  return file;
}

interface Wanted {
  channel?: string | undefined;
  user?: string | undefined;
  ts_from?: string | undefined;
  ts_to?: string | undefined;
  types?: string | undefined;
  count?: number | undefined;
  page?: number | undefined;
}

/** docs.slack.dev/reference/methods/files.list, "types" */
const IS_OF: Record<string, (file: StoredFile) => boolean> = {
  all: () => true,
  images: (file) => isPicture(kindOf(file.name, file.snippet_type)),
  snippets: (file) => file.snippet_type !== null,
  pdfs: (file) => kindOf(file.name, file.snippet_type).filetype === 'pdf',
  zips: (file) => kindOf(file.name, file.snippet_type).filetype === 'zip',
};

/** The files an app may see, newest first, by numbered pages (100 each by default). */
export function filesPage(call: Call, wanted: Wanted) {
  const rows = call.workspace.db
    .query<StoredFile>(
      `select * from file where team_id = ? and state in ('sharing', 'processed') order by created_at desc, id desc`,
    )
    .all(call.workspace.directory.team.id);
  const types = (wanted.types || 'all').split(',').map((type) => type.trim());
  const found = rows.filter(
    (file) =>
      maySee(call.workspace, call.app, file) &&
      types.some((type) => IS_OF[type]?.(file) === true) &&
      (!wanted.channel || file.shares.some(({ channel }) => channel === wanted.channel)) &&
      (!wanted.user || file.user_id === wanted.user) &&
      (!wanted.ts_from || file.created_at >= Number(wanted.ts_from)) &&
      (!wanted.ts_to || file.created_at <= Number(wanted.ts_to)),
  );
  const count = Math.max(1, Math.min(wanted.count || 100, 1_000));
  const page = Math.max(1, wanted.page || 1);
  return {
    files: found.slice((page - 1) * count, page * count),
    paging: { count, total: found.length, page, pages: Math.ceil(found.length / count) },
  };
}
