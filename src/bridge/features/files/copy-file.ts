import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { AnsweredError, type NewFile } from '../../../client/index.ts';
import type { OpenDownload } from '../../../platform/egress.ts';
import { RetryLater } from '../../../platform/engine/index.ts';
import { endingOf } from '../../../platform/text/file-ending.ts';
import { escapeMarkdown } from '../../../platform/text/markdown.ts';
import type { Bridge } from '../../bridge.ts';
import { sizeText } from '../../text/file-line.ts';
import { addNote } from '../../tickets/create-once.ts';
import { copiesOf, copyWork, forgetAuthor, isKnown, isLarge, isToCopy } from './copies.ts';
import { type CopyEnd, endCopies, type FileCopy } from '../../store/file-copies.ts';
import { resumed, type Source } from './resume.ts';
import { attemptOf, type BodyOf, type COPY, type Done, keyOfLane, type Work } from '../../work.ts';

/** How often Slack may fail to give a file before it stays a link. */
const TRIES = 8;
/** Bytes of a large file in a millisecond: messages need the same processors, disk and network. */
const PACE = { alone: 16_000, besideMessages: 1_000 };
/** Beside messages, the largest are faster: the service waits a quarter of an hour for an upload. */
const LONGEST_MS = 600_000;
/** No file of Slack is larger (https://slack.com/help/articles/201330736); the service has its own, lower limit. */
const MOST_BYTES = 1024 ** 3;

/** The file stays a link; the ticket says why. */
class NotCopied extends Error {
  override readonly name = 'NotCopied';
}

/** Slack does not have the file any more, or does not show it: the message's own text says that. */
class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/** Slack's bytes are incomplete or unavailable for now. */
class SourceFailed extends Error {
  override readonly name = 'SourceFailed';
}

type End = Omit<CopyEnd, 'id'>;

/**
 * Copies files of a chat message to its ticket, or deletes the copy of one that is gone from chat (B18). Several are
 * uploaded together; where that fails, each becomes work of its own, which tells what it fails at. A second attempt of
 * that first asks the service for the file, as the first one may have ended in a crash; an upload's key makes a second
 * one of the same file impossible.
 * @throws RetryLater or ServiceError while Slack or the service is unavailable.
 */
export async function workCopies(bridge: Bridge, work: Work<BodyOf<typeof COPY>>): Promise<Done> {
  const { copies: ids } = work.body;
  const copies = await copiesOf(bridge.database.db, ids);
  if (ids.length === 1) return endedWith(bridge, await completeCopies(bridge, work, copies));
  const waiting = copies.filter(({ wanted, state }) => wanted && state === 'waiting');
  const stored = await uploadTogether(bridge, work, waiting);
  if (stored) return endedWith(bridge, stored);
  return {
    outcome: 'they are copied one by one',
    write: async (tx) => tx.plan.add(...waiting.map((copy) => copyWork(keyOfLane(work.lane), [copy]))),
  };
}

function endedWith({ clock, metrics }: Bridge, ends: readonly CopyEnd[]): Done {
  return {
    outcome: ends.map(({ state }) => state).join(', ') || 'nothing is left to do',
    write: (tx) => endCopies(tx, ends, clock.now()),
    afterwards: async () => {
      for (const { state } of ends) metrics.files.inc({ direction: 'to_ticket', outcome: state });
    },
  };
}

async function completeCopies(
  bridge: Bridge,
  work: Work<BodyOf<typeof COPY>>,
  copies: readonly FileCopy[],
): Promise<CopyEnd[]> {
  const ends: CopyEnd[] = [];
  for (const copy of copies) {
    const end = await completeCopy(bridge, work, copy);
    if (end) ends.push({ ...end, id: copy.id });
  }
  return ends;
}

/** Returns undefined if it failed, or an earlier attempt may have been cut off. */
async function uploadTogether(
  bridge: Bridge,
  work: Work<BodyOf<typeof COPY>>,
  copies: readonly FileCopy[],
): Promise<CopyEnd[] | undefined> {
  if (!work.isFirst) return undefined;
  try {
    const stored = await upload(bridge, work, copies);
    return copies.map(({ id }, at) => ({ id, state: 'copied', service_file_id: stored[at] ?? null }));
  } catch (error) {
    bridge.log.info({ event: 'file.apart', err: error }, 'files of a message are copied one by one');
    return undefined;
  }
}

/** Completes a copy; undefined if it is already complete. */
async function completeCopy(
  bridge: Bridge,
  work: Work<BodyOf<typeof COPY>>,
  copy: FileCopy,
): Promise<End | undefined> {
  if (!copy.wanted) return copy.state === 'removed' ? undefined : removed(bridge, copy);
  if (copy.state !== 'waiting') return undefined;
  try {
    const stored = work.isFirst ? undefined : await storedCopy(bridge, copy);
    return { state: 'copied', service_file_id: stored ?? (await uploadOne(bridge, work, copy)) };
  } catch (error) {
    // Another service without files, or the ticket is gone: the message keeps its links.
    if (error instanceof AnsweredError && error.missing) return { state: 'linked' };
    if (error instanceof Unavailable) return { state: 'linked' };
    // The message was deleted meanwhile.
    if (error instanceof AnsweredError && error.status === 409) return { state: 'removed' };
    const isCut = error instanceof SourceFailed || (error instanceof AnsweredError && error.status === 400);
    if (isCut && work.attempt < TRIES)
      throw new RetryLater(`a file of chat: ${error.message}`, { cause: error });
    const reason = await reasonOf(bridge, copy, error);
    bridge.log.warn({ event: 'file.not_copied', copy: copy.id, reason }, 'a file of chat stays a link');
    await addNote(
      bridge,
      attemptOf(work),
      copy.ticket_id,
      `file ${copy.target_id} ${copy.file_id}`,
      `${linkTo(copy)} could not be copied from Slack: ${reason}.`,
    );
    return { state: 'linked', reason };
  }
}

/** Returns why a file stays a link. Throws other errors again. */
async function reasonOf(bridge: Bridge, copy: FileCopy, error: unknown): Promise<string> {
  if (error instanceof NotCopied || error instanceof SourceFailed) return error.message;
  if (!(error instanceof AnsweredError)) throw error;
  if (error.status === 413) return 'it is larger than the help desk accepts';
  const [issue] = error.issues;
  if (issue?.path === 'authorId' && copy.author_id !== null) {
    // The service has erased its author since.
    await forgetAuthor(bridge.database.db, copy.id);
    throw new RetryLater('the author of a file is gone', { afterMs: 0, countsAttempt: false, cause: error });
  }
  if (error.next === 'retry') throw error;
  return `the help desk refuses it (${(issue?.message ?? error.detail ?? String(error.status)).replace(/\.$/, '')})`;
}

const linkTo = ({ name, permalink }: FileCopy) => {
  const label = escapeMarkdown(name || 'A file');
  return /^https?:\/\/[^\s<>]+$/.test(permalink) ? `[${label}](<${permalink}>)` : label;
};

/** Identifies the copy at the service: a file may be on several messages of a ticket. */
const copyKey = ({ target_id, file_id }: FileCopy) => `${target_id} ${file_id}`;

/** Returns the service's id of a file that an earlier attempt uploaded. Throws ServiceError. */
async function storedCopy({ service }: Bridge, copy: FileCopy): Promise<string | undefined> {
  const { items } = await service.listTicketFiles({
    params: { id: copy.ticket_id },
    query: { key: copyKey(copy), limit: 1 },
  });
  return items[0]?.id;
}

interface ChatSource extends Source {
  /** Digest of the bytes read so far. */
  hash: Hash;
  /** All of them were read. */
  isComplete: boolean;
  failed: Error | undefined;
}

/** Uploads a file; what an attempt failed at, or is not known, Slack is asked for. */
async function uploadOne(
  bridge: Bridge,
  work: Work<BodyOf<typeof COPY>>,
  copy: FileCopy,
): Promise<string | null> {
  const current = isKnown(copy) && work.isFirst ? undefined : await currentFile(bridge, copy);
  if (!current && !isKnown(copy)) throw new Unavailable();
  const [id = null] = await upload(bridge, work, [{ ...copy, ...current }]);
  return id;
}

/**
 * Streams the bytes of files of one message, or of one file of a ticket itself, from Slack to the service, and compares
 * what arrived with what was sent. Returns the service's ids.
 */
async function upload(
  bridge: Bridge,
  work: Work<BodyOf<typeof COPY>>,
  files: readonly FileCopy[],
): Promise<string[]> {
  const [first] = files;
  if (!first) return [];
  const over = new AbortController();
  const signal = AbortSignal.any([work.signal, over.signal]);
  const opened: Promise<ChatSource>[] = [];
  const open = (file: FileCopy, at: number) => (opened[at] ??= openSource(bridge, file, signal));
  /** Files that are being read or were read. */
  const sources: ChatSource[] = [];
  async function* bytesOf(file: FileCopy, at: number) {
    const source = await open(file, at);
    sources.push(source);
    // While this one is read, the next one begins to arrive; not more of them, as each occupies a connection.
    const next = files[at + 1];
    if (next) open(next, at + 1).catch(() => undefined);
    yield* checked(bridge, file, source);
  }
  try {
    // Before the service is called: it has nothing to do with what Slack refuses.
    await open(first, 0);
    const part = (file: FileCopy, at: number): NewFile => ({
      key: copyKey(file),
      name: file.name || 'file',
      bytes: bytesOf(file, at),
      ...(file.bytes > 0 && { size: file.bytes }),
    });
    const { ticket_id: ticketId, target_id: messageId, author_id } = first;
    const author = author_id === null ? {} : { authorId: author_id };
    const { serviceFiles } = bridge;
    const records =
      messageId === ticketId
        ? [await serviceFiles.upload({ ...part(first, 0), ...author, ticketId, attach: true }, work.signal)]
        : await serviceFiles.uploadToMessage({ messageId, ...author, files: files.map(part) }, work.signal);
    // The service may answer with the file of an earlier upload before it has read this one.
    const isAsSent = ({ hash }: { hash: string }, at: number) =>
      !sources[at]?.isComplete || sources[at].hash.digest('hex') === hash;
    const others = records.filter((record, at) => !isAsSent(record, at));
    for (const { id } of others) await bridge.service.deleteFile({ params: { id } });
    if (others.length > 0) throw new SourceFailed('what arrived differs from what was sent');
    return records.map(({ id }) => id);
  } catch (error) {
    throw sources.find(({ failed }) => failed)?.failed ?? error;
  } finally {
    over.abort();
    for (const source of opened)
      void source.then(
        ({ body }) => body.on('error', () => undefined).destroy(),
        () => undefined,
      );
  }
}

/** Passes bytes on; fails at the end unless they are as many as Slack said. */
async function* checked(
  { inbox }: Pick<Bridge, 'inbox'>,
  { bytes }: Pick<FileCopy, 'bytes'>,
  source: ChatSource,
): AsyncGenerator<Buffer> {
  const fail = (why: string) => (source.failed = new SourceFailed(why));
  const pieces = resumed(source, bytes);
  let size = 0;
  for (;;) {
    // Only a failure to read is Slack's: the consumer may throw into this generator, too.
    const piece = await pieces.next().catch((error: unknown) => {
      const isKnown = [NotCopied, SourceFailed, Unavailable].some((kind) => error instanceof kind);
      throw isKnown ? (source.failed = error as Error) : fail('Slack stopped sending it');
    });
    if (piece.done) break;
    size += piece.value.length;
    if (size > (bytes || MOST_BYTES)) throw fail('Slack sends more than its size');
    source.hash.update(piece.value);
    if (isLarge({ bytes })) {
      const beside = Math.max(PACE.besideMessages, bytes / LONGEST_MS);
      await wait(piece.value.length / (inbox.isBusy() ? beside : PACE.alone));
    }
    yield piece.value;
  }
  if (bytes > 0 && size < bytes) throw fail('Slack sends less than its size');
  source.isComplete = true;
}

type SlackFile = Pick<FileCopy, 'name' | 'bytes' | 'mimetype' | 'url' | 'permalink'>;

/** Reads what Slack says of a file now; undefined if that is nothing. */
async function currentFile({ chat }: Bridge, copy: FileCopy): Promise<SlackFile | undefined> {
  const found = (await chat.file(copy.file_id))?.file;
  if (!found) return undefined;
  // What Slack had not said when the message came, it may say now.
  const name = found.name || (/\.\w+$/.test(copy.name) ? copy.name : copy.name + endingOf(found.mimetype));
  if (!isToCopy({ ...found, name }, true)) throw new Unavailable();
  const { bytes, mimetype, download: url, permalink } = found;
  return { name, bytes, mimetype, url, permalink };
}

async function openSource(bridge: Bridge, file: FileCopy, signal: AbortSignal): Promise<ChatSource> {
  if (file.bytes > MOST_BYTES) throw new NotCopied(`it is larger than ${sizeText(MOST_BYTES)}`);
  const { body, etag } = await openFile(bridge, file, signal);
  const hash = createHash('sha256');
  const reopen = async (from: number) => {
    const answer = await openFile(bridge, file, signal, from).catch((error: unknown) => {
      if (!(error instanceof SourceFailed)) throw error;
    });
    if (!answer) return undefined;
    if (answer.status === 200) return restOfFile(answer.body, from, hash.copy().digest('hex'));
    if (answer.etag === etag && isRest(answer.contentRange, from, file.bytes)) return answer.body;
    answer.body.on('error', () => undefined).destroy();
    throw new SourceFailed(ANOTHER);
  };
  return { body, signal, reopen, hash, isComplete: false, failed: undefined };
}

const ANOTHER = 'Slack sends another file than before';

const isRest = (contentRange: string | null, from: number, size: number) =>
  contentRange === `bytes ${from}-${size - 1}/${size}`;

/** Returns what follows the first bytes of a whole file, which fails unless those are as before. */
function restOfFile(whole: Readable, from: number, digest: string): Readable {
  const after = async function* () {
    const hash = createHash('sha256');
    let at = 0;
    for await (const piece of whole as AsyncIterable<Buffer>) {
      const known = piece.subarray(0, Math.max(0, from - at));
      at += piece.length;
      if (known.length > 0) {
        hash.update(known);
        if (at >= from && hash.digest('hex') !== digest) throw new SourceFailed(ANOTHER);
      }
      if (at > from) yield piece.subarray(known.length);
    }
  };
  whole.on('error', () => undefined);
  return Readable.from(after(), { objectMode: false });
}

/** @param from the first byte, to go on after a cut; the answer is the whole file if chat gives no parts. */
async function openFile(
  { chat, chatFiles }: Bridge,
  { file_id, url, bytes, mimetype }: FileCopy,
  signal: AbortSignal,
  from = 0,
): Promise<OpenDownload> {
  if (url === '') throw new NotCopied('Slack does not offer its contents');
  const answer = await chatFiles.open(url, signal, from);
  if (answer.kind === 'refused') throw new NotCopied(`its address may not be called (${answer.reason})`);
  if (answer.kind === 'failed') throw new SourceFailed(`Slack does not send it (${answer.reason})`);
  const { status, body } = answer;
  // Without permission Slack answers with its sign-in page.
  const isSignIn = /^text\/html\b/i.test(answer.contentType.trim()) && !mimetype.startsWith('text/html');
  const isOther = bytes > 0 && answer.bytes !== undefined && answer.bytes !== bytes;
  if (status === 206 && from > 0) return answer;
  if (status === 200 && !isSignIn && !isOther) return answer;
  body.on('error', () => undefined).destroy();
  if (status === 200 && !isSignIn) throw new SourceFailed('Slack sends another size than it says');
  if (status === 416 || status === 429 || status >= 500) throw new SourceFailed(`Slack answers ${status}`);
  const found = (await chat.file(file_id))?.file;
  if (found && !isToCopy(found, true)) throw new Unavailable();
  if (isSignIn) throw new NotCopied('the app may not read it (files:read)');
  throw new NotCopied(`Slack answers ${status}`);
}

/** Deletes the copy of a file that is gone from chat. Throws ServiceError. */
async function removed(bridge: Bridge, copy: FileCopy): Promise<End> {
  try {
    const id = copy.service_file_id ?? (await storedCopy(bridge, copy));
    if (id) await bridge.service.deleteFile({ params: { id } });
  } catch (error) {
    if (!(error instanceof AnsweredError && error.missing)) throw error;
  }
  return { state: 'removed' };
}
