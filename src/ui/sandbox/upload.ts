import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { store } from './store.ts';
import type { UploadedFile } from './types.ts';

/** Sends a message with files. */
export function sendFiles(
  files: File[],
  { channel, thread_ts, text }: { channel: string; thread_ts?: string; text: string },
): Promise<unknown> {
  return api.upload(formOf(files, { channel, text, ...(thread_ts ? { thread_ts } : {}) }));
}

/** Uploads files for a form field, which holds their ids; they are not shared anywhere. */
export async function bringFiles(files: File[]): Promise<UploadedFile[]> {
  const answer = await attempt(api.upload(formOf(files, {})));
  return answer?.files ?? [];
}

function formOf(files: File[], fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ user: store.me, ...fields })) form.set(name, value);
  for (const file of files) form.append('files', file, file.name);
  return form;
}
