import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import { deleteFile, fileEvent, showFiles } from '../workspace/files-share.ts';
import { FileLimitError, findFile, keepBytes, promiseFile, type StoredFile } from '../workspace/files.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { writtenByPerson } from '../workspace/write.ts';
import { ControlError, type Finders } from './find.ts';
import { shown, type ShownMessage } from './shown.ts';

const bytes = z.union([
  z.instanceof(Uint8Array).transform((array) => Buffer.from(array)),
  z.base64().transform((text) => Buffer.from(text, 'base64')),
]);

const files = z
  .array(
    z.object({
      name: z.string().min(1).max(255),
      title: z.string().optional(),
      altText: z.string().max(LIMITS.altTextChars).optional(),
      /** The bytes; in JSON as Base64. */
      content: bytes,
    }),
  )
  .min(1)
  .max(LIMITS.filesPerMessage);

const REQUESTS = {
  upload: z.object({
    channel: z.string().min(1),
    user: z.string().min(1),
    thread_ts: z
      .string()
      .regex(/^\d{10}\.\d{6}$/, 'a ts looks like 1700000000.000100')
      .optional(),
    text: z.string().default(''),
    files,
  }),
  bringFiles: z.object({ user: z.string().min(1), files }),
  deleteFile: z.object({ user: z.string().min(1), file: z.string().min(1) }),
} as const;

type Request<Name extends keyof typeof REQUESTS> = z.input<(typeof REQUESTS)[Name]>;

/** What people do with files. */
export interface FileControl {
  /** Sends a message with files; the text may be empty. */
  upload(request: Request<'upload'>): Promise<{ message: ShownMessage }>;
  /** Uploads files for a form (`file_input`): they are shown nowhere, and nobody is told of them yet. */
  bringFiles(request: Request<'bringFiles'>): Promise<{ files: { id: string; name: string }[] }>;
  /** By who uploaded it, or an admin. */
  deleteFile(request: Request<'deleteFile'>): Promise<void>;
}

export function createFileControl(workspace: Workspace, find: Finders): FileControl {
  return {
    async upload(request) {
      const { channel: place, user, thread_ts, text, files } = REQUESTS.upload.parse(request);
      const person = find.person(user);
      const channel = find.channel(place, user);
      find.mustBeIn(channel, person);
      const stored: StoredFile[] = [];
      for (const { name, title, altText, content } of files)
        stored.push(storeFile(workspace, { user: person.id, name, title, altText, content }));
      for (const file of stored)
        workspace.tell(fileEvent(workspace, 'file_created', file), workspace.directory.appsIn(channel));
      const message = showFiles(
        workspace,
        channel,
        stored,
        {
          ...writtenByPerson(workspace.directory, workspace.ids, person, text),
          author: person.id,
          threadTs: thread_ts,
        },
        null,
      );
      return { message: shown(message) };
    },

    async bringFiles(request) {
      const { user, files } = REQUESTS.bringFiles.parse(request);
      const person = find.person(user);
      const stored: { id: string; name: string }[] = [];
      for (const { name, title, altText, content } of files) {
        const { id } = storeFile(workspace, { user: person.id, name, title, altText, content });
        stored.push({ id, name });
      }
      return { files: stored };
    },

    async deleteFile(request) {
      const { user, file: id } = REQUESTS.deleteFile.parse(request);
      const person = find.person(user);
      const file = findFile(workspace, id);
      if (!file || file.state === 'deleted') throw new ControlError(`there is no file "${id}"`);
      const isAdmin = ['admin', 'owner', 'primary_owner'].includes(person.role);
      if (file.user_id !== person.id && !isAdmin)
        throw new ControlError(`"${person.name}" did not upload this file and is no admin`);
      deleteFile(workspace, file);
    },
  };
}

function storeFile(
  workspace: Workspace,
  wanted: {
    user: string;
    name: string;
    title: string | undefined;
    altText: string | undefined;
    content: Buffer;
  },
): StoredFile {
  try {
    const promised = promiseFile(workspace, { ...wanted, size: wanted.content.length });
    const kept = keepBytes(workspace, promised.upload_secret, wanted.content);
    if (!kept) throw new ControlError(`the file "${wanted.name}" was removed while it was stored`);
    return kept;
  } catch (error) {
    throw error instanceof FileLimitError ? new ControlError(error.message) : error;
  }
}
