import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

import { Agent, type Dispatcher } from 'undici';

import { BYTE_ROUTES, type File, file, readErrorBody, type Tolerant, tolerant } from '../contract/index.ts';
import { AnsweredError, UnreachableError, UnreadableError } from './errors.ts';
import { neverSent } from './never-sent.ts';

export interface FileClientOptions {
  /** Base URL of the service, with `/api`. */
  baseUrl: string;
  token: string;
  /** Header of the key; default `x-service-api-token`. */
  tokenHeader?: string;
  /** The webhook of this key that gets no events of what this client writes. */
  origin?: () => string | undefined;
}

export interface NewFile {
  /** The ticket's id; absent for a ticket that does not exist yet. */
  ticketId?: string;
  /** Attaches the file to this message, or to the ticket itself, at once. */
  messageId?: string;
  attach?: boolean;
  authorId?: string;
  /** A repeated upload with this key to the same ticket stores no second file. */
  key?: string;
  name: string;
  /** Number of bytes, if it is known: a file that is too large is then refused before it is sent. */
  size?: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** The operations of the API that carry bytes, streamed. Nothing is retried: a stream can be read only once. */
export interface FileClient {
  upload(file: NewFile, signal?: AbortSignal): Promise<Tolerant<File>>;
  /** @param from the first byte, to resume a download. */
  download(id: string, options?: { from?: number; signal?: AbortSignal }): Promise<Readable>;
  close(): Promise<void>;
}

interface Sent {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Readable;
  signal?: AbortSignal;
}

/** Milliseconds without a byte, after which a transfer fails. */
const STALLED_MS = 60_000;

export function createFileClient({
  baseUrl,
  token,
  tokenHeader = 'x-service-api-token',
  origin,
}: FileClientOptions): FileClient {
  const agent = new Agent({ connections: 8, headersTimeout: STALLED_MS, bodyTimeout: STALLED_MS });
  async function send(
    what: string,
    path: string,
    { headers, ...options }: Sent,
  ): Promise<Dispatcher.ResponseData> {
    const { origin: server, pathname } = new URL(baseUrl);
    let response: Dispatcher.ResponseData;
    try {
      response = await agent.request({
        ...options,
        origin: server,
        path: `${pathname.replace(/\/$/, '')}${path}`,
        headers: { [tokenHeader]: token, 'user-agent': 'deskbridge', ...headers },
      });
    } catch (error) {
      throw new UnreachableError(what, neverSent(error), error);
    }
    if (response.statusCode < 300) return response;
    const text = await response.body.text().catch(() => '');
    throw new AnsweredError(what, response.statusCode, readErrorBody(json(text)), undefined);
  }

  return {
    async upload({ ticketId, name, bytes, messageId, attach, authorId, key, size }, signal) {
      const boundary = randomUUID();
      const query = new URLSearchParams({
        ...(messageId !== undefined && { messageId }),
        ...(attach && { attach: 'true' }),
        ...(authorId !== undefined && { authorId }),
        ...(key !== undefined && { key }),
      });
      const { method, path } = ticketId === undefined ? BYTE_ROUTES.uploadFile : BYTE_ROUTES.uploadTicketFile;
      const at = path.replace('{id}', encodeURIComponent(ticketId ?? ''));
      const webhook = origin?.();
      const what = `${method} ${path}`;
      const response = await send(what, query.size > 0 ? `${at}?${query.toString()}` : at, {
        method,
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          ...(size !== undefined && { 'content-length': String(size + sizeAround(boundary, name)) }),
          ...(webhook !== undefined && { 'x-origin-webhook': webhook }),
        },
        body: Readable.from(formOf(boundary, name, bytes), { objectMode: false }),
        ...(signal && { signal }),
      });
      const parsed = tolerant(file).safeParse(await response.body.json());
      if (!parsed.success) throw new UnreadableError(what, parsed.error);
      return parsed.data;
    },
    async download(id, { from = 0, signal } = {}) {
      const { path } = BYTE_ROUTES.downloadFile;
      const what = `GET ${path}`;
      const { body, headers } = await send(what, path.replace('{id}', encodeURIComponent(id)), {
        method: 'GET',
        headers: from === 0 ? {} : { range: `bytes=${from}-` },
        ...(signal && { signal }),
      });
      if (from === 0 || String(headers['content-range']).startsWith(`bytes ${from}-`)) return body;
      body.on('error', () => undefined).destroy();
      throw new UnreadableError(what, new Error('the service sends another range'));
    },
    close: () => agent.close(),
  };
}

/** The parts of a form around its one file (RFC 7578); the service cleans the name. */
function around(boundary: string, name: string): { start: Buffer; end: Buffer } {
  const quoted = name.replace(/[\r\n]/g, ' ').replace(/"/g, '%22');
  return {
    start: Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    ),
    end: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}

function sizeAround(boundary: string, name: string): number {
  const { start, end } = around(boundary, name);
  return start.length + end.length;
}

async function* formOf(
  boundary: string,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { start, end } = around(boundary, name);
  yield start;
  yield* bytes;
  yield end;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
