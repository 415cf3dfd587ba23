import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import { deleteFile, fileEvent, showFiles } from '../workspace/files-share.ts';
import { FileLimitError, findFile, keepBytes, promiseFile, type StoredFile } from '../workspace/files.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { writtenByPerson } from '../workspace/write.ts';
import { ControlError, name, operation, place, placeOf, ts } from './operation.ts';
import { shownMessage } from './shown.ts';

const file = z.object({
  name: name.max(255),
  title: z.string().optional(),
  altText: z.string().max(LIMITS.altTextChars).optional(),
  /** The bytes; in JSON as Base64. */
  content: z.union([
    z.instanceof(Uint8Array).transform((array) => Buffer.from(array)),
    z.base64().transform((text) => Buffer.from(text, 'base64')),
  ]),
});
const files = z.array(file).min(1).max(LIMITS.filesPerMessage);

/** Control operations of users with files. */
export const FILE_OPERATIONS = {
  /** Sends a message with files; the text may be empty. */
  upload: operation(
    z.object({ ...place, thread_ts: ts.optional(), text: z.string().default(''), files }),
    (context, { thread_ts: threadTs, text, files: given, ...where }) => {
      const { workspace } = context;
      const { channel, person } = placeOf(context, where);
      const stored = given.map((one) => storeFile(workspace, person.id, one));
      for (const one of stored)
        workspace.tell(fileEvent(workspace, 'file_created', one), workspace.directory.appsIn(channel));
      const written = writtenByPerson(workspace.directory, workspace.ids, person, text);
      const message = { ...written, author: person.id, threadTs };
      return { message: shownMessage(showFiles(workspace, channel, stored, message, null)) };
    },
  ),

  /** Uploads files for a form (`file_input`). No channel shows them and no app is notified until it is submitted. */
  bringFiles: operation(z.object({ user: name, files }), ({ workspace, find }, { user, files: given }) => {
    const { id: owner } = find.person(user);
    return { files: given.map((one) => ({ id: storeFile(workspace, owner, one).id, name: one.name })) };
  }),

  /** Deletes a file. Only its uploader and admins may do that. */
  deleteFile: operation(z.object({ user: name, file: name }), ({ workspace, find }, { user, file: id }) => {
    const person = find.person(user);
    const found = findFile(workspace, id);
    if (!found || found.state === 'deleted') throw new ControlError(`there is no file "${id}"`);
    const isAdmin = ['admin', 'owner', 'primary_owner'].includes(person.role);
    if (found.user_id !== person.id && !isAdmin)
      throw new ControlError(`"${person.name}" did not upload this file and is not an admin`);
    deleteFile(workspace, found);
  }),
};

function storeFile(workspace: Workspace, user: string, wanted: z.output<typeof file>): StoredFile {
  try {
    const promised = promiseFile(workspace, { ...wanted, user, size: wanted.content.length });
    const kept = keepBytes(workspace, promised.upload_secret, wanted.content);
    if (!kept) throw new ControlError(`the file "${wanted.name}" was removed while it was stored`);
    return kept;
  } catch (error) {
    throw error instanceof FileLimitError ? new ControlError(error.message) : error;
  }
}
