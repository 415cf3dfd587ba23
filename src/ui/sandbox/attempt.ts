import { notifyError } from './notice.ts';
import type { Outcome } from './types.ts';

/** Waits for a request to the sandbox; on an error, shows its message and resolves to undefined. */
export async function attempt<Answer>(work: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await work;
  } catch (error) {
    notifyError(error);
    return undefined;
  }
}

const UNHEARD: Record<string, string> = {
  dispatch_failed: 'The app is not connected, so it did not receive this.',
  operation_timeout: 'The app did not answer within 3 seconds.',
};

/** The same for a request that an app answers: says so if no app is connected or none answered. */
export async function attemptWithApp(
  work: Promise<{ outcome?: Outcome }>,
): Promise<{ outcome?: Outcome } | undefined> {
  const answer = await attempt(work);
  const error = answer?.outcome?.error;
  if (error) notifyError(UNHEARD[error] ?? `The app's answer could not be used (${error}).`);
  return answer;
}
