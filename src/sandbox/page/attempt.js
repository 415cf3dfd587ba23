import { notify } from './notice.js';

/** Waits for a request to the sandbox; on an error, shows its message and resolves to undefined. */
export async function attempt(work) {
  try {
    return await (typeof work === 'function' ? work() : work);
  } catch (error) {
    notify(error.message);
    return undefined;
  }
}

const UNHEARD = {
  dispatch_failed: 'The app is not connected, so nobody heard it.',
  operation_timeout: 'The app did not answer within 3 seconds.',
};

/** The same for a request that an app answers: says so if no app is connected or none answered. */
export async function attemptWithApp(work) {
  const answer = await attempt(work);
  const error = answer?.outcome?.error;
  if (error) notify(UNHEARD[error] ?? `The app's answer could not be used (${error}).`);
  return answer;
}
