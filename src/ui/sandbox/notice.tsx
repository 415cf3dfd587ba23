import { useChanges } from './use-changes.ts';

const SHOWN_MS = 6_000;

class Notice extends EventTarget {
  text = '';
  isShown = false;
  #timer: number | undefined;

  show(text: string): void {
    this.text = text;
    this.#set(true);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#set(false), SHOWN_MS);
  }

  #set(isShown: boolean): void {
    this.isShown = isShown;
    this.dispatchEvent(new Event('change'));
  }
}
const notice = new Notice();

/** The message at the foot of the page. */
export function NoticeLine() {
  useChanges(notice);
  return (
    <div id="notice" className={notice.isShown ? 'notice shown' : 'notice'} role="status" aria-live="polite">
      {notice.text}
    </div>
  );
}

/** Shows a message at the foot of the page for a while. */
export function notify(text: string): void {
  notice.show(text);
}

/** The same for the message of an error. */
export function notifyError(error: unknown): void {
  notify(messageOf(error));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
