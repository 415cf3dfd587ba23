import type { File } from '../../src/contract/index.ts';
import type { Running } from './harness.ts';

export interface Uploaded {
  status: number;
  body: File & { code: string; message: string };
}

interface Part {
  /** The name of the part. */
  key?: string;
  name?: string;
  bytes?: Uint8Array;
  type?: string;
}

type Server = Pick<Running, 'url' | 'token'>;

async function postParts(server: Server, path: string, parts: Part[], token = server.token) {
  const form = new FormData();
  for (const { key = 'file', name = 'note.txt', bytes = Buffer.from('hello'), type = 'text/html' } of parts)
    form.append(key, new Blob([Buffer.from(bytes)], { type }), name);
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'x-service-api-token': token },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

/** Uploads a file as a browser does. */
export async function uploadFile(
  server: Server,
  path: string,
  { token, ...part }: Part & { token?: string } = {},
): Promise<Uploaded> {
  return (await postParts(server, path, [part], token)) as Uploaded;
}

/** Uploads files to a message; `files` is empty if they are refused. */
export async function uploadToMessage(
  server: Server,
  messageId: string,
  parts: Part[] = [{}],
): Promise<{ status: number; files: File[]; body: Uploaded['body'] }> {
  const { status, body } = await postParts(server, `/ticket-messages/${messageId}/files`, parts);
  const { items: files = [] } = body as { items?: File[] };
  return { status, files, body: body as Uploaded['body'] };
}
