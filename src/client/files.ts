import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

import { Agent, type Dispatcher } from 'undici';
import type { z } from 'zod';

import { BYTE_ROUTES, type File, type Tolerant, tolerant } from '../contract/index.ts';
import { answeredError, parseJson, UnreachableError, UnreadableError } from './errors.ts';
import { neverSent } from './never-sent.ts';

export interface FileClientOptions {
  /** Base URL of the service, with `/api`. */
  baseUrl: string;
  token: string;
  /** Header of the key; default `x-service-api-token`. */
  tokenHeader?: string;
  /** The webhook of this key that gets no events of what this client writes. */
  origin?: () => string | undefined;
  /** Called when the service has done an operation, such as `GET /files/{id}`. */
  onDone?: (done: { operation: string; writes: boolean }) => void;
}

export interface NewFile {
  /** A repeated upload with this key to the same ticket stores no second file. */
  key?: string;
  name: string;
  /** Number of bytes, if it is known: a file that is too large is then refused before it is sent. */
  size?: number;
  /** Read when it is this file's turn. */
  bytes: AsyncIterable<Uint8Array>;
}

export interface NewTicketFile extends NewFile {
  /** The ticket's id; absent for a ticket that does not exist yet. */
  ticketId?: string;
  /** Attaches the file to the ticket itself at once. */
  attach?: boolean;
  authorId?: string;
}

export interface NewMessageFiles {
  messageId: string;
  authorId?: string;
  /** At most `LIMITS.files.ofRequest`; all of them are stored, or none. */
  files: readonly NewFile[];
}

/**
 * The operations of the API that carry bytes, streamed. Nothing is retried: a stream can be read only once. A page
 * instead of an error is a ProxyError, also from a service without files: `Client.listTicketFiles` tells them apart.
 */
export interface FileClient {
  upload(file: NewTicketFile, signal?: AbortSignal): Promise<Tolerant<File>>;
  /** Returns the files in their order. */
  uploadToMessage(upload: NewMessageFiles, signal?: AbortSignal): Promise<Tolerant<File>[]>;
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
/** A longer wait is cut to this. */
const LONGEST_WAIT_SECONDS = 600;

const operationOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

export function createFileClient({
  baseUrl,
  token,
  tokenHeader = 'x-service-api-token',
  origin,
  onDone,
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
    if (response.statusCode < 300) {
      onDone?.({ operation: what, writes: options.method === 'POST' });
      return response;
    }
    const text = await response.body.text().catch(() => '');
    // In seconds: a client that streams has no clock.
    const seconds = Number(response.headers['retry-after']);
    const waitMs = Number.isFinite(seconds) ? Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000 : undefined;
    throw answeredError(what, response.statusCode, text, waitMs);
  }

  interface Form {
    params: Record<string, string | undefined>;
    parts: readonly Part[];
    signal?: AbortSignal | undefined;
  }
  async function sendForm<Answer extends z.ZodType>(
    { method, path, answer }: { method: 'POST'; path: string; answer: Answer },
    id: string,
    { params, parts, signal }: Form,
  ): Promise<Tolerant<z.output<Answer>>> {
    const boundary = randomUUID();
    const given = Object.entries(params).filter((param): param is [string, string] => param[1] !== undefined);
    const query = new URLSearchParams(given);
    const at = path.replace('{id}', encodeURIComponent(id));
    const webhook = origin?.();
    const size = sizeOf(boundary, parts);
    const what = operationOf({ method, path });
    const response = await send(what, query.size > 0 ? `${at}?${query.toString()}` : at, {
      method,
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...(size !== undefined && { 'content-length': String(size) }),
        ...(webhook !== undefined && { 'x-origin-webhook': webhook }),
      },
      body: Readable.from(formOf(boundary, parts), { objectMode: false }),
      ...(signal && { signal }),
    });
    const text = await response.body.text().catch((cause: unknown) => {
      throw new UnreachableError(what, false, cause);
    });
    const parsed = tolerant(answer).safeParse(parseJson(text));
    if (!parsed.success) throw new UnreadableError(what, parsed.error);
    return parsed.data;
  }

  return {
    upload({ ticketId, attach, authorId, key, ...part }, signal) {
      const route = ticketId === undefined ? BYTE_ROUTES.uploadFile : BYTE_ROUTES.uploadTicketFile;
      const params = { authorId, key, ...(attach && { attach: 'true' }) };
      return sendForm(route, ticketId ?? '', { params, parts: [{ ...part, field: 'file' }], signal });
    },
    async uploadToMessage({ messageId, authorId, files }, signal) {
      const parts = files.map(({ key, ...part }) => ({ ...part, field: key ?? 'file' }));
      const form = { params: { authorId }, parts, signal };
      const { items } = await sendForm(BYTE_ROUTES.uploadMessageFiles, messageId, form);
      if (items.length === files.length) return items;
      throw new UnreadableError(
        operationOf(BYTE_ROUTES.uploadMessageFiles),
        new Error('the service answers with other files'),
      );
    },
    async download(id, { from = 0, signal } = {}) {
      const { path } = BYTE_ROUTES.downloadFile;
      const what = operationOf(BYTE_ROUTES.downloadFile);
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

interface Part extends Omit<NewFile, 'key'> {
  field: string;
}

const QUOTED: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };

/**
 * What is before the bytes of a part of a form (RFC 7578), its names quoted as browsers do
 * (https://html.spec.whatwg.org/#multipart-form-data); the service cleans the name.
 */
function formStart(boundary: string, { field, name }: Part): Buffer {
  const quoted = (text: string) => text.replace(/["\r\n]/g, (sign) => QUOTED[sign] ?? sign);
  return Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(field)}"; filename="${quoted(name)}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  );
}

const AFTER_PART = Buffer.from('\r\n');
const formEnd = (boundary: string) => Buffer.from(`--${boundary}--\r\n`);

/** Undefined if the size of a file is not known. */
function sizeOf(boundary: string, parts: readonly Part[]): number | undefined {
  let total = formEnd(boundary).length;
  for (const part of parts) {
    if (part.size === undefined) return undefined;
    total += formStart(boundary, part).length + part.size + AFTER_PART.length;
  }
  return total;
}

async function* formOf(boundary: string, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    yield formStart(boundary, part);
    yield* part.bytes;
    yield AFTER_PART;
  }
  yield formEnd(boundary);
}
