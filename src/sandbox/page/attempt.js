import { notify } from './notice.js';

/** Waits for what was asked of the sandbox; a refusal is said to the person, and the answer is then undefined. */
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

/** The same for what the app has to answer: says so when nobody heard it, or nobody answered. */
export async function attemptWithApp(work) {
  const answer = await attempt(work);
  const error = answer?.outcome?.error;
  if (error) notify(UNHEARD[error] ?? `The app's answer could not be used (${error}).`);
  return answer;
}
