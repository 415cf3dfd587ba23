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
  { signal, onShare }: { signal: AbortSignal; onShare: (share: number) => void },
): Promise<FileRecord> {
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
  return accepted(sending.status, sending.response ?? {}) as FileRecord;
}
