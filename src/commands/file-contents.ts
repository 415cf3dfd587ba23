import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, rename } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';

import { type File, file } from '../contract/index.ts';
import type { Client, FileClient } from '../client/index.ts';
import { makeDirectory } from '../platform/directory.ts';

/** The folder of an export with the bytes of files, each named by its hash. */
const CONTENTS = 'contents';

/** Writes the bytes of the exported files, each content once; returns how many. */
export async function writeContents(
  folder: string,
  files: FileClient,
  onContent: (done: number) => void,
): Promise<number> {
  const to = path.join(folder, CONTENTS);
  let done = 0;
  for await (const { id, hash } of exportedFiles(folder)) {
    if (done === 0) await makeDirectory(to, 0o700);
    const target = path.join(to, hash);
    if (await isThere(target)) continue;
    const digest = createHash('sha256');
    const bytes = await files.download(id);
    await pipeline(
      bytes,
      async function* (source: AsyncIterable<Buffer>) {
        for await (const part of source) {
          digest.update(part);
          yield part;
        }
      },
      createWriteStream(`${target}.part`, { mode: 0o600 }),
    );
    if (digest.digest('hex') !== hash) throw new Error(`The bytes of the file ${id} do not match its hash.`);
    await rename(`${target}.part`, target);
    onContent(++done);
  }
  return done;
}

/**
 * Uploads the files of an export to the tickets and messages with the same ids; one that is there already is left, so
 * it can be repeated.
 */
export async function uploadContents(
  folder: string,
  { service, files }: { service: Client; files: FileClient },
  onFile: (done: number) => void,
): Promise<{ uploaded: number; present: number }> {
  const counts = { uploaded: 0, present: 0 };
  for await (const { ticketId, messageId, name, hash, authorId } of exportedFiles(folder)) {
    if (ticketId === null) continue;
    const isSame = (one: { messageId: string | null; hash: string; name: string }) =>
      one.messageId === messageId && one.hash === hash && one.name === name;
    let present = false;
    for await (const one of service.all('listTicketFiles', { params: { id: ticketId } }))
      if (isSame(one)) present = true;
    if (present) counts.present += 1;
    else {
      const one = { name, bytes: createReadStream(path.join(folder, CONTENTS, hash)) };
      const author = authorId === null ? {} : { authorId };
      await (messageId === null
        ? files.upload({ ...one, ...author, ticketId, attach: true })
        : files.uploadToMessage({ ...author, messageId, files: [one] }));
      counts.uploaded += 1;
    }
    onFile(counts.uploaded + counts.present);
  }
  return counts;
}

/** The records of an export's files, read line by line. */
async function* exportedFiles(folder: string): AsyncGenerator<File> {
  const lines = createInterface({ input: createReadStream(path.join(folder, 'files.ndjson')) });
  for await (const line of lines) if (line !== '') yield file.parse(JSON.parse(line));
}

async function isThere(target: string): Promise<boolean> {
  try {
    await access(target);
    return true;
  } catch {
    return false;
  }
}
