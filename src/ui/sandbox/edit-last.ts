import { store } from './store.ts';

/** Opens the acting person's last message in this column for editing; returns whether there is one. */
export function editLast(form: HTMLElement, threadTs: string | undefined): boolean {
  const last = store
    .sorted()
    .filter(
      ({ user, bot_id, ts, thread_ts }) =>
        user === store.me &&
        bot_id === undefined &&
        (threadTs ? thread_ts === threadTs || ts === threadTs : thread_ts === undefined || thread_ts === ts),
    )
    .at(-1);
  const button =
    last &&
    form.parentElement?.querySelector<HTMLElement>(
      `[data-ts="${last.ts}"] .tools [data-key="Edit-${last.ts}"]`,
    );
  button?.click();
  return button !== undefined && button !== null;
}
