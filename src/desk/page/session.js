import { api } from './api.js';
import { drafts } from './drafts.js';
import { change, sessionEnded, state } from './state.js';

let last = Promise.resolve();

/** Reads who is signed in, and where one can sign in if nobody is; one read after the other. @throws Refusal */
export function loadSession() {
  last = last.catch(() => undefined).then(read);
  return last;
}

async function read() {
  const before = state.session;
  const { signIn, session } = await api.session();
  // The user signed in or out, or chose a name, after the request: the answer is of before.
  if (state.session !== before) return;
  if (session?.user) drafts.belongTo(session.userId);
  if (session) return change({ signIn, session, signInReason: undefined });
  if (state.session) sessionEnded();
  // Both at once: without the providers, the page would say that there are none.
  change({ providers: signIn ? await api.providers() : [], signIn, session: null });
}

/** Ends the session at the service. @throws Refusal */
export async function signOut() {
  await api.signOut();
  drafts.clear();
  change({ session: null, signInReason: undefined });
}
