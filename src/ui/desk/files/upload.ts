import { accepted, unreached } from '../api/call.ts';
import type { FileRecord } from './record.ts';

/**
 * Uploads a file. `fetch` does not tell how much is sent.
 * @param onShare gets the share that is sent, from 0 to 1.
 * Throws Refusal, and the signal's reason when it is cancelled.
 */
export async function upload(
  address: string,
  file: File,
  options: { signal: AbortSignal; onShare: (share: number) => void },
): Promise<FileRecord> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(address, file, options);
    if (answer.waitMs === undefined || attempt === ATTEMPTS)
      return accepted(answer.status, answer.body) as FileRecord;
    // The service has no place for it now, and has stored nothing.
    await new Promise((resolve) => setTimeout(resolve, answer.waitMs));
    options.signal.throwIfAborted();
  }
}

/** How often a file is sent that the service has no place for. */
const ATTEMPTS = 8;
const LONGEST_WAIT_SECONDS = 60;

interface Answer {
  status: number;
  body: object;
  /** Milliseconds after which it may be sent again, if the service says so. */
  waitMs: number | undefined;
}

/** Sends a file once. Throws Refusal if there is no answer, and the signal's reason when it is cancelled. */
async function send(
  address: string,
  file: File,
  { signal, onShare }: { signal: AbortSignal; onShare: (share: number) => void },
): Promise<Answer> {
  signal.throwIfAborted();
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const sending = new XMLHttpRequest();
  sending.open('POST', address);
  sending.responseType = 'json';
  sending.upload.onprogress = ({ loaded, total }) => onShare(total > 0 ? loaded / total : 0);
  sending.onloadend = resolve;
  signal.addEventListener('abort', () => sending.abort(), { once: true });
  const body = new FormData();
  body.append('file', file);
  sending.send(body);
  await ended;
  signal.throwIfAborted();
  if (sending.status === 0) throw unreached();
  const isBusy = sending.status === 429 || sending.status === 503;
  const seconds = Number(sending.getResponseHeader('retry-after') ?? Number.NaN);
  return {
    status: sending.status,
    body: (sending.response ?? {}) as object,
    waitMs: isBusy && Number.isFinite(seconds) ? Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000 : undefined,
  };
}
