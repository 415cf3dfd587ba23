/** Calls the sandbox's control API; a refusal is an Error whose message is a sentence for people. */
async function call(path, body) {
  const response = await fetch(
    `/_control/${path}`,
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
  );
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(answer.error ?? answer.message ?? `the sandbox answered ${response.status}`);
  return answer;
}

export const api = {
  state: () => call('state'),
  messages: (channel, as) =>
    call(`messages/${encodeURIComponent(channel)}?as=${encodeURIComponent(as)}`).then(
      ({ messages }) => messages,
    ),
  send: (body) => call('message', body),
  command: (body) => call('command', body),
  react: (body) => call('reaction', body),
  edit: (body) => call('edit-message', body),
  remove: (body) => call('delete-message', body),
  interact: (body) => call('interact', body),
  shortcut: (body) => call('shortcut', body),
  open: (body) => call('open', body),
  join: (body) => call('join', body),
};
