import type { State } from './states.ts';

/** The result of one check. */
export interface Finding {
  /** `chat.scopes`: a stable id. */
  id: string;
  state: State;
  /** One sentence; never a secret, and no user text but channel names. */
  says: string;
  /** How to fix it; absent if nothing is needed. */
  fix?: string;
}

export const ok = (id: string, says: string): Finding => ({ id, state: 'ok', says });
export const warn = (id: string, says: string, fix: string): Finding => ({ id, state: 'warn', says, fix });
export const bad = (id: string, says: string, fix: string): Finding => ({ id, state: 'bad', says, fix });

/** `1 post`, `2 posts`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Formats milliseconds: `40 s`, `7 min`, `3 h`, `2 days`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
