import { api } from './api.js';
import { attempt } from './attempt.js';
import { store } from './store.js';

/** Sends a message with files. */
export function sendFiles(files, { channel, thread_ts, text }) {
  return api.upload(formOf(files, { channel, text, ...(thread_ts ? { thread_ts } : {}) }));
}

/** Uploads files for a form field, which holds their ids; they are not shared anywhere. */
export async function bringFiles(files) {
  const answer = await attempt(api.upload(formOf(files, {})));
  return answer?.files ?? [];
}

function formOf(files, fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ user: store.me, ...fields })) form.set(name, value);
  for (const file of files) form.append('files', file, file.name);
  return form;
}
