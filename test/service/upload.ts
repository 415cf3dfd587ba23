import type { File } from '../../src/contract/index.ts';
import type { Running } from './harness.ts';

export interface Uploaded {
  status: number;
  body: File & { code: string; message: string };
}

/** Uploads a file as a browser does. */
export async function uploadFile(
  { url, token: own }: Pick<Running, 'url' | 'token'>,
  path: string,
  {
    token = own,
    name = 'note.txt',
    bytes = Buffer.from('hello'),
    type = 'text/html',
  }: { token?: string; name?: string; bytes?: Uint8Array; type?: string } = {},
): Promise<Uploaded> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(bytes)], { type }), name);
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'x-service-api-token': token },
    body: form,
  });
  return { status: answer.status, body: (await answer.json()) as Uploaded['body'] };
}
