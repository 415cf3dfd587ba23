import { api } from './api.js';
import { store } from './store.js';

/** Brings files into the workspace, shown in `channel` in one message; answers the message's files. */
export async function upload(files, { channel, thread_ts, text = '' } = {}) {
  const form = new FormData();
  form.set('user', store.me);
  if (channel) form.set('channel', channel);
  if (thread_ts) form.set('thread_ts', thread_ts);
  form.set('text', text);
  for (const file of files) form.append('files', file, file.name);
  const { message } = await api.upload(form);
  return message?.files ?? [];
}
