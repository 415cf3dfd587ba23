import { showToast } from '../kit/toast.tsx';

/** Says what was done. */
export function notify(text: string): void {
  showToast({ kind: 'done', text });
}

/** Says what went wrong: an error, or the reason in words. */
export function notifyError(reason: unknown): void {
  showToast({ kind: 'error', text: messageOf(reason) });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
