import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { ENGINE_BUGS } from '../drills/engine-bugs.ts';
import { type Patch, patched } from '../drills/harness/patch.ts';
import { BUGS } from '../drills/planted-bugs.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** What one session of a database cannot show: these stay with the drills on real servers. */
const NEEDS_SESSIONS = new Set([
  'work numbered before its lane is locked',
  'locks in the wrong order',
  'a lane that is claimed again before its process knows of its claim',
]);

/** Broken rules, besides what the drills plant. Where two parts hold the same promise, both are broken. */
const RULES: Readonly<Record<string, Patch | readonly Patch[]>> = {
  'an emoji that is never taken back (B12)': {
    file: 'src/bridge/features/reactions/forward.ts',
    from: 'if (!before || wanted.has(emoji)) continue;',
    to: 'if (before !== undefined) continue;',
  },
  'a card of the team that is planned twice (B26)': [
    { file: 'src/bridge/features/cards/send-card.ts', from: 'if (planned) return;', to: '' },
    {
      file: 'src/bridge/features/cards/send-card.ts',
      from: 'if (existing || !ticket) return undefined;',
      to: 'if (!ticket) return undefined;',
    },
  ],
  'a card that counts as newer than it is (B24)': {
    file: 'src/bridge/features/cards/send-card.ts',
    from: 'shown: isCurrent ? shown : null',
    to: 'shown',
  },
  'an older edit that replaces a newer one (B12)': {
    file: 'src/bridge/threads/forward-change.ts',
    from: "if (compareEdits(editTs, link.version) < 0) return ctx.finish('older edit');",
    to: '',
  },
  'first answers that come before the last change of the first one (B1)': {
    file: 'src/bridge/threads/mirror-ticket.ts',
    from: 'if (first === undefined || message.updatedAt < first) first = message.updatedAt;',
    to: 'first ??= message.updatedAt;',
  },
  'lost messages that are never looked for (B50)': [
    { file: 'src/bridge/reconcile/rules.ts', from: 'missed: tsOf(missed)', to: 'missed: []' },
    {
      file: 'src/bridge/reconcile/scan.ts',
      from: '    ...(await missedReplies(reconciler, listed, window)),\n',
      to: '',
    },
  ],
  'a note from the team’s thread that is a public message (B14)': {
    file: 'src/bridge/threads/append-message.ts',
    from: "const isNote = conversation.role === 'triage';",
    to: 'const isNote = false;',
  },
  'an edited answer that stays as it was (B13)': {
    file: 'src/bridge/threads/rules.ts',
    from: 'if (links.every((link) => link.deleted || link.digest === situation.digest))',
    to: 'if (links.length > 0)',
  },
  'a triage channel that shows the tickets of other teams (B14)': {
    file: 'src/bridge/tickets/permissions.ts',
    from: 'return channels.includes(place.channel_id) && bridge.chat.isPrivate(place.channel_id);',
    to: 'return channels.length >= 0;',
  },
  'answers on a private ticket in a public thread (B14)': {
    file: 'src/bridge/tickets/permissions.ts',
    from: "if (place.role === 'request') return place.direct || !ticket.private;",
    to: "if (place.role === 'request') return true;",
  },
  'a note on a merged ticket that everybody reads where that goes on (B14)': {
    file: 'src/service/messages/create.ts',
    from: 'private: isPrivate,\n      created_at',
    to: 'private: isPrivate && mergedFrom === undefined,\n      created_at',
  },
  'a queue of a team whose tickets others find (B14)': {
    file: 'src/service/access/viewer.ts',
    from: "where q.visibility <> 'workspace'",
    to: "where q.visibility = 'agents'",
  },
  'an edit that is lost once its ticket was opened again (B12)': {
    file: 'src/bridge/threads/forward-change.ts',
    from: "if (compareEdits(editTs, link.version) < 0) return ctx.finish('older edit');",
    to: "if (conversation.reopened || compareEdits(editTs, link.version) < 0) return ctx.finish('older edit');",
  },
  'a card that shows what was before, and counts as drawn after it (B24)': {
    file: 'src/bridge/features/cards/send-card.ts',
    from: 'const shown = ticket.updatedAt;',
    to: 'const shown = bridge.clock.now().toISOString();',
  },
  'a notification that is sent again after a kill (B51)': {
    file: 'src/bridge/outbox/send.ts',
    from: 'if (mayStand && call.lookIn) {',
    to: "if (mayStand && call.lookIn && row.kind !== 'notice' && row.kind !== 'ask') {",
  },
  'what others may not read any more, and is not taken back (B14)': {
    file: 'src/bridge/threads/mirror-ticket.ts',
    from: "origin: 'service', deleted: false",
    to: "origin: 'service', deleted: true",
  },
  'posts of a ticket that becomes private, and are not withdrawn (B14)': {
    file: 'src/bridge/threads/mirror-ticket.ts',
    from: '      await takeBackWaiting(tx, conversation);\n',
    to: '',
  },
  'a merged ticket that keeps what is written later': {
    file: 'src/service/messages/create.ts',
    from: "named.where('merged_into_id', 'is', null).forNoKeyUpdate()",
    to: 'named.forNoKeyUpdate()',
  },
  'a reply to a merged ticket that the other thread does not show': {
    file: 'src/bridge/threads/append-message.ts',
    from: 'if (isToCheck) await',
    to: 'if (isToCheck && !isMerged) await',
  },
  'a reply that leaves its ticket waiting': {
    file: 'src/service/messages/reply.ts',
    from: "const opens = kind === 'PENDING' && (await opensOnReply(tx, ticket));",
    to: 'const opens = false;',
  },
  'a first reply that its ticket does not know': {
    file: 'src/service/messages/reply.ts',
    from: 'return answers ? { responded_at: at } : {};',
    to: 'return answers && !at ? { responded_at: at } : {};',
  },
  'clocks that go on while a ticket waits': {
    file: 'src/service/tickets/clock-columns.ts',
    from: "  'status_id',\n",
    to: '',
  },
  'an answer that did not help, and whose ticket stays with the AI agent': {
    file: 'src/service/answers/feedback.ts',
    from: 'if (!handsOver) return;',
    to: 'if (handsOver || !handsOver) return;',
  },
  'a decision that the step does not hear which asked for it': {
    file: 'src/service/workflows/start.ts',
    from: "event = 'decision' and",
    to: "event = 'no decision' and",
  },
  'a reply that leaves its ticket done (B22)': {
    file: 'src/bridge/threads/append-message.ts',
    from: "  if (reopened) await setGroup(bridge, ended.ticket, 'Open', authorId);\n",
    to: '',
  },
};

/**
 * The drills' bugs strike one message, by words of their stories. Here these are words that people of each seed say; and
 * of what is acknowledged too early the presses of buttons, which no comparison finds if they are lost.
 */
const WORDS_OF_STORIES: Readonly<Record<string, string>> = {
  'that is lost': 'block_actions',
  'that is given up': 'line 1',
  'is recorded elsewhere': 'line 1',
};
const inWordsOfSeeds = (code: string): string =>
  Object.entries(WORDS_OF_STORIES).reduce((left, [words, said]) => left.replaceAll(words, said), code);

/** The bugs that the simulation has to find, each planted in a run of its own. */
export const PLANTS: ReadonlyMap<string, readonly Patch[]> = new Map([
  ...Object.entries({ ...BUGS, ...ENGINE_BUGS })
    .filter(([name]) => !NEEDS_SESSIONS.has(name))
    .map(([name, { patch }]): [string, Patch[]] => [name, [{ ...patch, to: inWordsOfSeeds(patch.to) }]]),
  ...Object.entries(RULES).map(([name, patches]): [string, Patch[]] => [name, [patches].flat()]),
]);

/** Lets the program be loaded with this bug; before any of it is. */
export function plant(name: string): void {
  const patches = PLANTS.get(name);
  if (!patches) throw new Error(`There is no such bug. These are: ${[...PLANTS.keys()].join('; ')}.`);
  registerHooks({
    load(loaded, context, next) {
      const result = next(loaded, context);
      const own = patches.filter(({ file }) => pathToFileURL(path.join(ROOT, file)).href === loaded);
      if (own.length === 0) return result;
      if (result.source === undefined) throw new Error(`${loaded} has no source`);
      return { ...result, source: own.reduce(patched, textOf(result.source)) };
    },
  });
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
