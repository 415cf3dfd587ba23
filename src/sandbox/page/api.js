/** Calls the sandbox's control API, with JSON or a form with files; a refusal is an Error whose message is a sentence for people. */
async function call(path, body) {
  const response = await fetch(
    `/_control/${path}`,
    body === undefined
      ? {}
      : body instanceof FormData
        ? { method: 'POST', body }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(answer.error ?? answer.message ?? `the sandbox answered ${response.status}`);
  return answer;
}

const get = (path, query = {}) => call(`${path}?${new URLSearchParams(query)}`);

export const api = {
  state: () => call('state'),
  messages: (channel, as) =>
    get(`messages/${encodeURIComponent(channel)}`, { as }).then(({ messages }) => messages),
  send: (body) => call('message', body),
  command: (body) => call('command', body),
  react: (body) => call('reaction', body),
  edit: (body) => call('edit-message', body),
  remove: (body) => call('delete-message', body),
  interact: (body) => call('interact', body),
  shortcut: (body) => call('shortcut', body),
  open: (body) => call('open', body),
  join: (body) => call('join', body),
  archive: (body) => call('archive', body),
  leave: (body) => call('leave', body),
  createChannel: (body) => call('create-channel', body),
  invite: (body) => call('invite', body),
  upload: (body) => call('upload', body),
  views: (user) => call(`views/${encodeURIComponent(user)}`),
  submitView: (body) => call('submit-view', body),
  closeView: (body) => call('close-view', body),
  openHome: (body) => call('open-home', body),
  suggest: (body) => call('suggest', body),
  calls: (query) => get('calls', query).then(({ calls }) => calls),
  deliveries: (query) => get('deliveries', query).then(({ deliveries }) => deliveries),
  log: (query) => get('log', query).then(({ entries }) => entries),
  faults: () => call('faults'),
  setFaults: (body) => call('faults', body),
  chaos: (body) => call('chaos', body),
  clearFaults: () => call('clear-faults', {}),
  clock: () => call('clock'),
  setClock: (body) => call('clock', body),
  disconnect: (body) => call('disconnect', body),
  reset: () => call('reset', {}),
};
