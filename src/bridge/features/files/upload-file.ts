import { Readable } from 'node:stream';

import { z } from 'zod';

import { AnsweredError } from '../../../client/index.ts';
import { RetryLater } from '../../../platform/engine/index.ts';
import type { Bridge } from '../../bridge.ts';
import { ChatError, isSlackFailing, isUnanswered } from '../../slack/errors.ts';
import type { SenderIdentity } from '../../slack/post-metadata.ts';
import { LIMITS } from '../../slack/limits.ts';
import { type OutboxRow, planPosts, planFileRemoval } from '../../store/posts.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { findPost } from '../../outbox/send.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { resumed, type Source } from './resume.ts';
import { decideUpload, type UploadDecision } from './rules.ts';
import { type Conversation, conversationOfRow, locationOf } from '../../store/conversations.ts';
import { linkById, type MessageLink, metadataOfPart } from '../../store/links.ts';
import { claimUpload, setUpload, type Upload, uploadOf } from './store.ts';
import { sizeText } from '../../text/file-line.ts';
import { fileNameOf, markdownToChat } from '../../text/to-chat.ts';
import { recordPost } from '../../threads/posts.ts';
import { serviceFileAt } from '../../store/attachments.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { ticketUrl } from '../../tickets/ticket-facts.ts';

/** A file of a ticket message; its progress is stored with its link. */
const FileBody = z.object({
  link: z.string(),
  as: z
    .object({ name: z.string().optional(), iconUrl: z.string().optional(), iconEmoji: z.string().optional() })
    .optional(),
});

/** The file cannot be shown: a line with the reason replaces it. */
class Unshowable extends Error {
  override readonly name = 'Unshowable';
}

/**
 * Sends a file of a ticket message to Slack (B18) step by step: each is recorded before the next, and first looks up
 * the effects of earlier attempts. A file that cannot be shown becomes a line with its name and the reason.
 * @throws RetryLater until Slack shows it: nothing is called meanwhile.
 */
export const filePost = postKind('file', 'reply', FileBody, async (bridge, writer, row, body) => {
  const conversation = await conversationOfRow(bridge, row);
  if (!conversation) return undefined;
  let state = await readFileState(bridge, conversation, row, body.link);
  let failed: { upload: Upload; why: string; url: string } | undefined;
  if (!state) return undefined;
  if (state.decision.do === 'wait') throw notShownYet(state, state.decision.ms);
  return {
    methods: ['files.completeUploadExternal'],
    make: async (id) => {
      while (state) {
        const { upload, decision, link, share } = state;
        try {
          switch (decision.do) {
            case 'send':
              await sendBytes(bridge, writer, conversation, upload);
              break;
            case 'ask':
              await askToShow(bridge, writer, conversation, { id, as: body.as, upload, link });
              break;
            case 'wait':
              throw notShownYet(state, decision.ms);
            case 'record':
              return share?.ts;
            case 'give-up':
              throw new Unshowable(decision.why);
            case 'drop':
              await takeAway(bridge, writer, conversation, row, upload);
              return undefined;
          }
        } catch (error) {
          const why = reasonOf(error);
          if (why === undefined) throw error;
          await takeAway(bridge, writer, conversation, row, upload);
          bridge.log.warn(
            { event: 'file.not_shown', outbox: row.id, reason: why },
            'a file of a ticket message could not be shown in chat',
          );
          if (!link.deleted) failed = { upload, why, url: await linkFor(bridge, conversation, upload) };
          return undefined;
        }
        state = await readFileState(bridge, conversation, row, body.link);
      }
      return undefined;
    },
    after: async (tx, ts) => {
      if (ts !== undefined) {
        bridge.metrics.files.inc({ direction: 'to_chat', outcome: 'copied' });
        return recordPost(tx, bridge, conversation, body.link, ts);
      }
      const unshown = (await uploadOf(tx, body.link))?.file_id;
      if (unshown) await planFileRemoval(tx, bridge, locationOf(conversation), unshown);
      if (!failed) return;
      bridge.metrics.files.inc({ direction: 'to_chat', outcome: 'linked' });
      const [part] = markdownToChat(failureLine(failed), () => undefined);
      if (!part) return;
      const thread = conversation.thread_ts;
      await planPosts(tx, bridge, locationOf(conversation), [
        { kind: 'post', link: body.link, text: part.text, blocks: part.blocks, thread, as: body.as },
      ]);
    },
  };
});

const notShownYet = ({ looked }: FileState, afterMs: number) =>
  new RetryLater('Slack has not shown the file yet', {
    afterMs: looked?.byMessages ? Math.max(afterMs, READ_THREAD_EVERY_MS) : afterMs,
    countsAttempt: false,
  });

/** Slack lets an app read fewer threads than files. */
const READ_THREAD_EVERY_MS = 10_000;

interface FileState {
  upload: Upload;
  link: MessageLink;
  looked: Looked | undefined;
  share: Share | undefined;
  decision: UploadDecision;
}

/** Returns a file's progress and its next step; undefined if it is no longer recorded. */
async function readFileState(
  bridge: Bridge,
  conversation: Conversation,
  row: OutboxRow,
  linkId: string,
): Promise<FileState | undefined> {
  const upload = await uploadOf(bridge.database.db, linkId);
  const link = await linkById(bridge.database.db, linkId);
  if (!upload || !link) return undefined;
  const now = bridge.clock.now().getTime();
  const { file_id: fileId, requested_at: askedAt, accepted_at: takenAt } = upload;
  const looked = fileId !== null && askedAt ? await findFile(bridge, conversation, row, fileId) : undefined;
  const share = looked?.share;
  const decision = decideUpload({
    wanted: !link.deleted,
    hasBytes: fileId !== null,
    askedMs: askedAt ? now - askedAt.getTime() : undefined,
    takenMs: takenAt ? now - takenAt.getTime() : undefined,
    shown: share ? (share.inThread ? 'in-thread' : 'elsewhere') : 'no',
  });
  return { upload, link, looked, share, decision };
}

/** Asks Slack to share a file, and first records that it may have done so. */
async function askToShow(
  bridge: Bridge,
  writer: ChatWriter,
  conversation: Conversation,
  { id, as, upload, link }: { id: string; as: SenderIdentity | undefined; upload: Upload; link: MessageLink },
): Promise<void> {
  const { database, clock } = bridge;
  const { db } = database;
  await setUpload(db, upload.link_id, { requested_at: clock.now() });
  try {
    await runCounted(bridge, upload, () =>
      writer.showFile({
        file: upload.file_id ?? '',
        title: upload.alt || fileNameOf(upload.url, ''),
        words: as?.name ? `From ${as.name}` : undefined,
        channel: conversation.channel_id,
        thread: conversation.thread_ts,
        metadata: metadataOfPart(id, link),
      }),
    );
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    // It is already shown, or about to be: an earlier request succeeded.
    if (error.code !== 'file_not_found') {
      if (error.certain) await setUpload(db, upload.link_id, { requested_at: null });
      throw error;
    }
  }
  await setUpload(db, upload.link_id, { accepted_at: clock.now() });
}

/** Where Slack shows a file in its conversation's channel. */
interface Share {
  ts: string;
  inThread: boolean;
}

/** A file as found in chat. */
interface Looked {
  share: Share | undefined;
  /** It was searched for among the messages, because Slack returned no information about the file. */
  byMessages: boolean;
}

/** Looks whether Slack shows a file, by what it says of the file, else in the thread, by the id of the post. */
async function findFile(
  { chat }: Bridge,
  { channel_id: channel, thread_ts }: Conversation,
  row: OutboxRow,
  fileId: string,
): Promise<Looked> {
  try {
    const shares = (await chat.file(fileId))?.sharesIn(channel) ?? [];
    const found = shares.find((one) => one.thread_ts === thread_ts) ?? shares[0];
    const share = found && { ts: found.ts, inThread: found.thread_ts === thread_ts };
    return { share, byMessages: false };
  } catch (error) {
    if (!failureOf(error)) throw error;
    const found = await findPost(chat, { channel, thread: thread_ts, id: row.id, since: row.planned_at });
    return { share: found && { ts: found.ts, inThread: !found.orphaned }, byMessages: true };
  }
}

/** How often a URL, or Slack, may fail at a file before it is given up: a whole conversation waits for it. */
const TRIES = 3;

/** Downloads a file's bytes and uploads them to Slack, under a recorded id. */
async function sendBytes(
  bridge: Bridge,
  writer: ChatWriter,
  { parent_deleted }: Conversation,
  upload: Upload,
): Promise<void> {
  if (parent_deleted) throw new Unshowable('its thread is gone');
  const serviceFile = serviceFileAt(upload.url);
  if (serviceFile !== undefined) return sendServiceFile(bridge, writer, serviceFile, upload);
  const { egress, fileBytes, database } = bridge;
  const { db } = database;
  const answer = await egress.download({ url: upload.url, maxBytes: fileBytes });
  if (answer.kind === 'failed' || (answer.kind === 'answered' && mayPass(answer.status))) {
    const why = answer.kind === 'failed' ? answer.reason : `it was answered with ${answer.status}`;
    await countFailure(db, upload, `its address does not give it (${why})`);
    throw new RetryLater(`a file's address does not give it: ${why}`, {});
  }
  if (answer.kind === 'too-large') throw new Unshowable(`it is larger than ${sizeText(fileBytes)}`);
  if (answer.kind === 'refused') throw new Unshowable(`its address may not be called (${answer.reason})`);
  if (answer.status !== 200) throw new Unshowable(`its address answers with ${answer.status}`);
  if (answer.body.length === 0) throw new Unshowable('it is empty');
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(answer.contentType.trim()))
    throw new Unshowable('its address leads to a web page');
  const name = fileNameOf(upload.url, answer.contentType);
  const content = { length: answer.body.length, body: answer.body };
  const alt = upload.alt.slice(0, LIMITS.altCharacters);
  const file = await runCounted(bridge, upload, () => writer.uploadFile(name, content, alt));
  await claimUpload(db, upload.link_id, file);
}

/** Streams a file of the service to Slack, under a recorded id. */
async function sendServiceFile(
  bridge: Bridge,
  writer: ChatWriter,
  id: string,
  upload: Upload,
): Promise<void> {
  const { serviceFiles, fileBytes, database } = bridge;
  const length = upload.bytes ?? 0;
  if (length > fileBytes) throw new Unshowable(`it is larger than ${sizeText(fileBytes)}`);
  if (length === 0) throw new Unshowable('it is empty');
  const over = new AbortController();
  const { signal } = over;
  const open = async (from: number): Promise<Readable> => {
    try {
      return await serviceFiles.download(id, { from, signal });
    } catch (error) {
      if (error instanceof AnsweredError && error.missing) throw new Unshowable('it was deleted');
      throw error;
    }
  };
  // A file's bytes never change.
  const reopen = (from: number) => open(from).catch(() => undefined);
  const source: Source = { body: await runCounted(bridge, upload, () => open(0)), signal, reopen };
  const body = Readable.from(resumed(source, length), { objectMode: false });
  try {
    const name = upload.alt || 'file';
    const file = await runCounted(bridge, upload, () => writer.uploadFile(name, { length, body }, ''));
    await claimUpload(database.db, upload.link_id, file);
  } finally {
    for (const each of [body, source.body]) each.on('error', () => undefined).destroy();
    over.abort();
  }
}

async function countFailure(
  db: Bridge['database']['db'],
  upload: Upload,
  why: string,
  tries = TRIES,
): Promise<void> {
  if (upload.attempts + 1 >= tries) throw new Unshowable(why);
  await setUpload(db, upload.link_id, { attempts: upload.attempts + 1 });
}

/**
 * Runs a step of an upload, and counts a failure that may be of this file or of files alone, so that it blocks its
 * conversation for a limited time. An outage of Slack or the service is not counted: the file waits for its end.
 */
async function runCounted<Result>(
  bridge: Bridge,
  upload: Upload,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    const failure = failureOf(error);
    if (failure && (!failure.orOutage || (await bridge.chat.answers())))
      await countFailure(bridge.database.db, upload, failure.why, failure.tries);
    throw error;
  }
}

/** Attempts where the cause may also be the network, or a service that is being repaired: some minutes. */
const MORE_TRIES = 10;

interface Failure {
  /** Completes a sentence. */
  why: string;
  tries: number;
  /** An outage of all of Slack looks the same. */
  orOutage?: true;
}

/** Returns how a failed step counts, if it may be of the file itself, or of all files; undefined if it does not. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof AnsweredError && error.mayLast)
    return { why: 'the help desk could not process it', tries: MORE_TRIES };
  if (!(error instanceof ChatError) || error.next === 'give-up') return undefined;
  if (isSlackFailing(error)) return { why: `Slack could not process it (${error.code ?? ''})`, tries: TRIES };
  if (isUnanswered(error))
    return { why: 'Slack takes no files at the moment', tries: MORE_TRIES, orOutage: true };
  // The storage that takes the bytes; every other failure is of the app and all its calls.
  return error.method === undefined
    ? { why: 'Slack did not accept its bytes', tries: MORE_TRIES }
    : undefined;
}

const mayPass = (status: number) => status === 429 || status >= 500;

/** Deletes the message outside its thread that may show a file; the file itself is deleted after that, apart. */
async function takeAway(
  bridge: Bridge,
  writer: ChatWriter,
  conversation: Conversation,
  row: OutboxRow,
  { link_id, file_id }: Upload,
): Promise<void> {
  // The row that was read before does not contain a claim made just now.
  const fileId = file_id ?? (await uploadOf(bridge.database.db, link_id))?.file_id;
  if (!fileId) return;
  const { share } = await findFile(bridge, conversation, row, fileId);
  try {
    if (share) await writer.remove(conversation.channel_id, share.ts);
  } catch (error) {
    // Slack cannot delete it; that is no reason to be silent.
    if (reasonOf(error) === undefined) throw error;
  }
}

/** Returns where a file that is not shown can be seen: at its own URL, or on its ticket. */
async function linkFor(bridge: Bridge, { ticket_id }: Conversation, { url }: Upload): Promise<string> {
  if (serviceFileAt(url) === undefined) return url;
  const ticket = await readTicket(bridge, ticket_id ?? '');
  return ticket ? ticketUrl(bridge, ticket.code) : '';
}

function failureLine({ upload, why, url }: { upload: Upload; why: string; url: string }): string {
  const label = (upload.alt || fileNameOf(upload.url, '')).replaceAll(/[\\`*_~[\]<>&!]/g, '\\$&');
  return `${url ? `[${label}](<${url}>)` : label} could not be shown here: ${why}.`;
}

/** Returns why a file will not be shown; undefined for temporary errors. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Unshowable) return error.message;
  if (!(error instanceof ChatError)) return undefined;
  if (error.code === 'missing_scope') return 'the app may not upload files (files:write)';
  return error.next === 'give-up' ? `Slack refuses it (${error.code ?? 'no reason given'})` : undefined;
}
