import { sessionEnded } from './state.js';

/**
 * The error of a failed request; its message is a sentence for users. `status` is 0 if there was no response.
 */
export class Refusal extends Error {
  name = 'Refusal';
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Calls an operation of the desk's server. @throws Refusal */
export const call = (method, path, body) => request(method, `/desk/${path}`, body);

async function request(method, address, body) {
  let response;
  try {
    response = await fetch(address, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
  } catch {
    throw new Refusal(0, 'The desk cannot be reached. Check your connection, then try again.');
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 401) sessionEnded();
  const issues = (answer.issues ?? []).map(({ message }) => message).join('. ');
  throw new Refusal(response.status, issues || answer.message || `The desk answered ${response.status}.`);
}

const query = (values) => {
  const given = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return `?${new URLSearchParams(given)}`;
};

export const api = {
  /** `{ signIn, session }`. */
  session: () => call('GET', 'session'),
  /** Of the sign-in, which is not the desk's own. */
  providers: () => request('GET', '/auth/providers'),
  signIn: (key) => call('POST', 'session', { key }),
  choose: (userId) => call('PUT', 'session', { userId }),
  signOut: () => call('DELETE', 'session'),

  tickets: (values) => call('GET', `api/tickets${query(values)}`),
  ticket: (id) => call('GET', `api/tickets/${encodeURIComponent(id)}`),
  createTicket: (body) => call('POST', 'api/tickets', body),
  /** Searches by words and meaning, best first: `{ items, totalCount, matches }`. */
  search: (values) => call('GET', `api/tickets/semantic-search${query(values)}`),
  /** `reason`: the reason for a decision. */
  updateTicket: (id, data, reason) => call('PUT', `api/tickets/${encodeURIComponent(id)}`, { data, reason }),
  claim: (id, userId) => call('PUT', `api/tickets/${encodeURIComponent(id)}/claim`, { userId }),
  messages: (values) => call('GET', `api/ticket-messages${query(values)}`),
  send: (body) => call('POST', 'api/ticket-messages', body),
  users: (values) => call('GET', `api/users${query(values)}`),
};

const LATEST = { sortBy: 'lastSeenAt', sortDirection: 'desc' };

/** Sessions, the latest used first: the user's own, or those of a user. */
export const readSessions = async (userId) =>
  (await call('GET', `api/sessions${query({ userId, ...LATEST, limit: 200 })}`)).items;

/** Entries of the audit log, the latest first: `{ items, totalCount }`. */
export const readAudit = (values) =>
  call('GET', `api/audit-entries${query({ ...values, sortBy: 'createdAt', sortDirection: 'desc' })}`);

/** Builds a path of the contract: `path('webhooks', id, 'ping')`. */
export const path = (...names) => `api/${names.map(encodeURIComponent).join('/')}`;

/** A list of options; empty if the service lacks the operation or the key may not read it. */
export async function choices(name) {
  try {
    return (await call('GET', `${path(name)}?limit=1000`)).items;
  } catch (error) {
    if (error instanceof Refusal && [403, 404, 405].includes(error.status)) return [];
    throw error;
  }
}
