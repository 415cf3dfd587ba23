import type {
  Call,
  ClockState,
  Delivery,
  Faults,
  Message,
  Outcome,
  ShownViews,
  State,
  Submitted,
  Suggested,
  UploadedFile,
  Value,
  Values,
} from './types.ts';

interface Refusal {
  error?: string;
  message?: string;
}

/**
 * Calls the sandbox's control API, with JSON or a form with files; a refusal is an Error whose message is a sentence
 * for people.
 */
async function call(path: string, body?: object): Promise<unknown> {
  const response = await fetch(
    `/_control/${path}`,
    body === undefined
      ? {}
      : body instanceof FormData
        ? { method: 'POST', body }
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer: unknown = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { error, message } = answer as Refusal;
    throw new Error(error ?? message ?? `the sandbox answered ${response.status}`);
  }
  return answer;
}

const get = (path: string, query: Record<string, string>) => call(`${path}?${new URLSearchParams(query)}`);

/** Where a message is or will be, and who acts. */
interface Place {
  channel: string;
  user: string;
}
type Post = Place & { text: string; thread_ts?: string | undefined; broadcast?: boolean };
/** The surface of an element. */
export type SurfacePlace = { user: string } & (
  { viewId: string; values?: Values } | { channel: string; messageTs: string }
);
interface Page {
  after: number;
  limit: number;
}
const pageOf = ({ after, limit }: Page) => ({ after: String(after), limit: String(limit) });

// What the answers are is said here once: page and server are released together.
export const api = {
  state: () => call('state') as Promise<State>,
  messages: async (channel: string, as: string) => {
    const answer = await get(`messages/${encodeURIComponent(channel)}`, { as });
    return (answer as { messages: Message[] }).messages;
  },
  send: (body: Post) => call('message', body),
  command: (body: Place & { command: string; text: string }) => call('command', body),
  react: (body: Place & { ts: string; name: string; present: boolean }) => call('reaction', body),
  edit: (body: Place & { ts: string; text: string }) => call('edit-message', body),
  remove: (body: Place & { ts: string }) => call('delete-message', body),
  interact: (
    body: SurfacePlace & { action: { actionId: string | undefined; blockId?: string; value?: Value } },
  ) => call('interact', body) as Promise<{ outcome?: Outcome }>,
  shortcut: (body: { user: string; callbackId: string; channel?: string; messageTs?: string }) =>
    call('shortcut', body) as Promise<{ outcome?: Outcome }>,
  open: (body: { user: string; with: string }) => call('open', body) as Promise<{ channel: string }>,
  join: (body: Place) => call('join', body),
  archive: (body: Place & { archived: boolean }) => call('archive', body),
  leave: (body: Place) => call('leave', body),
  createChannel: (body: { name: string; private: boolean; user: string }) =>
    call('create-channel', body) as Promise<{ channel: string }>,
  invite: (body: Place & { member: string }) => call('invite', body),
  upload: (body: FormData) => call('upload', body) as Promise<{ files?: UploadedFile[] }>,
  views: (user: string) => call(`views/${encodeURIComponent(user)}`) as Promise<ShownViews>,
  submitView: (body: { user: string; viewId: string; values: Values }) =>
    call('submit-view', body) as Promise<Submitted>,
  closeView: (body: { user: string; all: boolean }) =>
    call('close-view', body) as Promise<{ views: ShownViews }>,
  openHome: (body: { user: string; tab: string }) => call('open-home', body),
  suggest: (body: SurfacePlace & { actionId: string | undefined; blockId?: string; value: string }) =>
    call('suggest', body) as Promise<Suggested>,
  calls: async (query: Page) => {
    const answer = await get('calls', pageOf(query));
    return (answer as { calls: Call[] }).calls;
  },
  deliveries: async (query: Page) => {
    const answer = await get('deliveries', pageOf(query));
    return (answer as { deliveries: Delivery[] }).deliveries;
  },
  faults: () => call('faults') as Promise<Faults>,
  setFaults: (body: { faults?: object[]; events?: object[] }) => call('faults', body),
  chaos: (body: { intensity: number; drops: boolean; seed?: number }) => call('chaos', body),
  clearFaults: () => call('clear-faults', {}),
  clock: () => call('clock') as Promise<ClockState>,
  setClock: (body: { advance?: string; speed?: number; reset?: boolean }) => call('clock', body),
  disconnect: (body: { reason: string }) => call('disconnect', body),
};
