import { part } from './dom.ts';

const SHOWN_MS = 6_000;
let timer: number | undefined;

/** Shows a message at the foot of the page for a while. */
export function notify(text: string): void {
  const notice = part('notice');
  notice.textContent = text;
  notice.classList.add('shown');
  clearTimeout(timer);
  timer = window.setTimeout(() => notice.classList.remove('shown'), SHOWN_MS);
}

/** The same for the message of an error. */
export function notifyError(error: unknown): void {
  notify(messageOf(error));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
