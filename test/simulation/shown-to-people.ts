import { setTimeout as pause } from 'node:timers/promises';

import type { Chat } from '../harness/chat.ts';
import { type Trouble, troubleOf } from './promises.ts';

const DIRECT = '@deskbridge';
/** Who opens the Home, before anything happens. */
export const HOME_OF = ['ada', 'mira'] as const;
/** Who may be told something. */
const TOLD = ['ada', 'ben', 'mira', 'sam'] as const;
/** A Home is drawn again within this time after it was opened. */
const DRAWN_WITHIN_MS = 15_000;

const SINCE = /just now|\d+ (?:minute|hour)s? ago/g;

interface Views {
  home: { blocks: object[] } | null;
}

/** The Homes that differ from how they are drawn when they are opened anew: each follows every change of what it shows. */
export async function staleHomes(chat: Chat): Promise<Trouble[]> {
  // Slack gives a block an id of its own each time; how long ago something was said is as old as the Home.
  const drawn = async (user: string) =>
    ((await chat.read<Views>(`views/${user}`)).home?.blocks ?? []).map((block) =>
      JSON.stringify({ ...block, block_id: undefined }).replaceAll(SINCE, 'then'),
    );
  const stale: Trouble[] = [];
  for (const user of HOME_OF) {
    const before = await drawn(user);
    await chat.post('open-home', { user });
    await pause(DRAWN_WITHIN_MS);
    const after = await drawn(user);
    const gone = before.filter((block) => !after.includes(block));
    const missing = after.filter((block) => !before.includes(block));
    if (before.join() !== after.join())
      stale.push(
        troubleOf('different', `the Home of ${user} shows ${gone.join()}, and not ${missing.join()}`),
      );
  }
  return stale;
}

/** What the bot told a person twice, in the same words about the same thing. */
export async function toldTwice(chat: Chat): Promise<Trouble[]> {
  const twice: Trouble[] = [];
  for (const user of TOLD) {
    const messages = await chat.messages(DIRECT, user).catch(() => []);
    const told = messages
      .filter(({ bot_id, ephemeralFor }) => bot_id !== undefined && ephemeralFor === undefined)
      .map(({ text, blocks, thread_ts }) => JSON.stringify([text, blocks, thread_ts]));
    for (const [words, same] of Map.groupBy(told, (each) => each))
      if (same.length > 1)
        twice.push(troubleOf('doubled', `${user} was told ${same.length} times: ${words}`));
  }
  return twice;
}
