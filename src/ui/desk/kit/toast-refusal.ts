import { Refusal } from '../api/call.ts';
import { showToast } from '../../kit/toast.tsx';

/**
 * Writes; a refusal is shown in a toast. Resolves to whether it succeeded.
 * @param name what it is about, where a toast alone does not say it.
 */
export async function toastRefusal(write: () => Promise<unknown>, name?: string): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    const reason = reasonOf(error);
    showToast({ kind: 'error', text: name ? `${name}: ${reason}` : reason });
    return false;
  }
}

/** Returns why the service refused something. Throws any other error: it is a defect of the page. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return error.message;
}
