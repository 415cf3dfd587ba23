import { type TeamThread, teamThread } from '../../contract/index.ts';
import { parseRef, type TicketRef } from './rules.ts';

interface Described {
  /** Its syntax. With `[<ref>]` it is about a ticket: if omitted, a menu offers the user's recent ones (B32). */
  form: string;
  does: string;
  example: string;
  /** What to add if there is no text; absent if text is optional. */
  needs?: string;
  group: CommandGroup;
  also?: readonly string[];
  /** Also works in a ticket's thread as a mention of the bot, without the reference. */
  inThread?: boolean;
}

export const GROUPS = {
  ask: 'Ask and follow',
  work: 'Work on a ticket',
  team: 'For the team',
  setUp: 'Set up a channel',
} as const;
export type CommandGroup = keyof typeof GROUPS;

/**
 * Every command (B32), once: the parser, the help, each error and the manifest's hint are built from this table
 * (docs/rules.md, Commands); `read.ts`, `change.ts`, `workflows.ts` and `set-up.ts` have their implementations.
 */
export const COMMANDS = {
  new: {
    form: 'new [<title>]',
    does: 'open a ticket with this title; without one, in a form',
    example: 'new The printer is on fire',
    group: 'ask',
  },
  list: {
    form: 'list [mine | assigned | open | unassigned | snoozed]',
    does: 'your open requests; or what is assigned to you, or what is open, unassigned or snoozed in this channel’s queue',
    example: 'list',
    group: 'ask',
    also: ['ls', 'my', 'mine'],
  },
  search: {
    form: 'search <words>',
    does: 'find tickets by what they say or mean',
    example: 'search vpn login',
    needs: 'the words to look for',
    group: 'ask',
    also: ['find'],
  },
  show: {
    form: 'show [<ref>]',
    does: 'show one ticket, with a button that shares it with the channel',
    example: 'show IT-42',
    group: 'ask',
    also: ['view'],
  },
  close: {
    form: 'close [<ref>]',
    does: 'close a ticket; also your own request',
    example: 'close IT-42',
    group: 'ask',
    inThread: true,
  },
  reopen: {
    form: 'reopen [<ref>]',
    does: 'open a ticket again; also your own request',
    example: 'reopen IT-42',
    group: 'ask',
    inThread: true,
  },
  status: {
    form: 'status [<ref>] <status>',
    does: 'set its status, by its name or the beginning of it',
    example: 'status IT-42 in progress',
    needs: 'the new status',
    group: 'work',
    inThread: true,
  },
  assign: {
    form: 'assign [<ref>] <@person | me | nobody>',
    does: 'assign it',
    example: 'assign IT-42 me',
    needs: 'the assignee',
    group: 'work',
    inThread: true,
  },
  priority: {
    form: 'priority [<ref>] <urgent | high | medium | low | none>',
    does: 'set its priority',
    example: 'priority IT-42 high',
    needs: 'the new priority',
    group: 'work',
    also: ['prio'],
    inThread: true,
  },
  reply: {
    form: 'reply [<ref>] <text>',
    does: 'reply to the requester, in their thread and as you',
    example: 'reply IT-42 Have you tried the other charger?',
    needs: 'the reply',
    group: 'work',
  },
  note: {
    form: 'note [<ref>] <text>',
    does: 'add an internal note, which the requester does not see',
    example: 'note IT-42 Warranty ended in May',
    needs: 'the note',
    group: 'work',
  },
  snooze: {
    form: 'snooze [<ref>] <when | off>',
    does: 'snooze it until then, in your time zone',
    example: 'snooze IT-42 tomorrow 9am',
    needs: 'the time',
    group: 'work',
    inThread: true,
  },
  due: {
    form: 'due [<ref>] <when | off>',
    does: 'set its due date, in your time zone',
    example: 'due IT-42 friday',
    needs: 'the due date',
    group: 'work',
    inThread: true,
  },
  private: {
    form: 'private [<ref>]',
    does: 'let only the people on it read it',
    example: 'private IT-42',
    group: 'work',
    inThread: true,
  },
  public: {
    form: 'public [<ref>]',
    does: 'let everyone read it who reads its queue',
    example: 'public IT-42',
    group: 'work',
    inThread: true,
  },
  merge: {
    form: 'merge [<ref>] <other ticket>',
    does: 'close it, and continue with the other ticket; `reopen` undoes that',
    example: 'merge IT-42 IT-40',
    needs: 'the ticket to continue with',
    group: 'work',
  },
  run: {
    form: 'run [<ref>] <workflow>',
    does: 'run a workflow on it, by its name or the beginning of it',
    example: 'run IT-42 onboarding',
    needs: 'the workflow',
    group: 'work',
    inThread: true,
  },
  stats: {
    form: 'stats',
    does: 'how many tickets of this channel’s queue are open, unassigned, new and done this week, and how fast',
    example: 'stats',
    group: 'team',
  },
  why: {
    form: 'why <link to a message, or ticket>',
    does: 'what the bridge decided for a message, by which rule, and what to change; also *Why?* in a message’s *Ticket actions*. For a ticket, why you can or cannot read it',
    example: 'why https://acme.slack.com/archives/C0123/p1700000000000100',
    needs: 'the link to a message (in its menu: *Copy link*), or a ticket such as IT-42',
    group: 'team',
  },
  link: {
    form: 'link <queue> [triage [<shows>]] [--observe]',
    does: 'make this channel the queue’s: for requests, for its team (`triage`), or only observed (`--observe`)',
    example: 'link IT',
    group: 'setUp',
  },
  unlink: {
    form: 'unlink',
    does: 'unlink this channel; open tickets keep their threads',
    example: 'unlink',
    group: 'setUp',
  },
  observed: {
    form: 'observed',
    does: 'the tickets that would have been opened in this observed channel',
    example: 'observed',
    group: 'setUp',
  },
  settings: {
    form: 'settings [<name> <value>]',
    does: 'show the bridge’s own settings, or set one',
    example: 'settings bots on',
    group: 'setUp',
  },
  notify: {
    form: 'notify [all | mine | none]',
    does: 'choose your direct message notifications',
    example: 'notify mine',
    group: 'ask',
  },
  help: {
    form: 'help [<command>]',
    does: 'this list, or more about one command',
    example: 'help snooze',
    group: 'ask',
  },
} as const satisfies Record<string, Described>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

export function describedAs(name: CommandName): Described {
  return COMMANDS[name];
}

/** Returns the command with a name, ignoring case. */
export function commandNamed(word: string): CommandName | undefined {
  const typed = word.toLowerCase();
  return COMMAND_NAMES.find((name) => name === typed || describedAs(name).also?.includes(typed));
}

/** A parsed slash command (B32). */
export type Command =
  /** `ref` is absent if it was omitted; `words` is empty if there are none. */
  | { do: CommandName; ref?: string; words: string }
  /** Something is missing (B36). */
  | { do: 'incomplete'; of: CommandName; missing: string }
  /** An unknown name, with similar ones. */
  | { do: 'unknown'; word: string; meant: readonly CommandName[] };

export function parseCommand(text: string): Command {
  const [word, rest] = firstWord(text);
  if (word === '') return { do: 'help', words: '' };
  const name = commandNamed(word);
  if (name === undefined) {
    const typed = word.toLowerCase();
    const meant = COMMAND_NAMES.filter((one) => one.startsWith(typed) || typed.startsWith(one));
    return { do: 'unknown', word, meant };
  }
  // `mine` is short for `list mine`.
  if (name === 'list' && word.toLowerCase().startsWith('m')) return { do: 'list', words: 'mine' };
  return argumentsOf(name, rest);
}

/** Returns whether a command is about one ticket. */
function isOnTicket(name: CommandName): boolean {
  return describedAs(name).form.includes('[<ref>]');
}

function argumentsOf(name: CommandName, rest: string): Command {
  const { needs } = describedAs(name);
  if (needs === undefined)
    return isOnTicket(name) && rest ? { do: name, ref: rest, words: '' } : { do: name, words: rest };
  const [first, more] = firstWord(rest);
  const isRef = isOnTicket(name) && isSurelyRef(parseRef(first));
  const words = isRef ? more : rest;
  if (!words) return { do: 'incomplete', of: name, missing: isRef ? `${needs} of ${first}` : needs };
  return isRef ? { do: name, ref: first, words } : { do: name, words };
}

/** A bare word may be an id: before other words only if it has letters and digits. */
function isSurelyRef(ref: TicketRef | undefined): boolean {
  return ref !== undefined && (ref.kind !== 'id' || (/\d/.test(ref.id) && /[a-z]/i.test(ref.id)));
}

function firstWord(text: string): [word: string, rest: string] {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text.trim()) ?? [];
  return [word, rest];
}

interface LinkWords {
  /** As the user typed it; empty if absent. */
  queue: string;
  /** The team works there; else it is for requests. */
  triage: boolean;
  /** Which messages the team's threads there show, if given. */
  teamThread: TeamThread | undefined;
  /** Observe mode (B56). */
  observe: boolean;
}

/** Parses the text after `/ticket link`; Slack turns two hyphens into a long dash. */
export function parseLink(words: string): LinkWords {
  const parts = words.split(/\s+/).filter(Boolean);
  const isObserve = (part: string) => /^(?:--?|[–—])observe$/i.test(part);
  const isTriage = (part: string, at: number) => at > 0 && part.toLowerCase() === 'triage';
  const flagless = parts.filter((part) => !isObserve(part));
  const triageAt = flagless.findIndex(isTriage);
  const after = triageAt === -1 ? undefined : flagless[triageAt + 1]?.toLowerCase();
  const { data: shows } = teamThread.safeParse(after);
  const named = shows === undefined ? flagless : flagless.toSpliced(triageAt + 1, 1);
  return {
    queue: named.filter((part, at) => !isTriage(part, at)).join(' '),
    triage: triageAt !== -1,
    teamThread: shows,
    observe: parts.some(isObserve),
  };
}

/** A possible command in a ticket's thread. */
export interface ThreadCommand {
  do: CommandName;
  /** In Slack's markup. */
  words: string;
}

/**
 * Parses the command after a mention of the bot at the start of a message (B32): `@bot status done`. Undefined if the
 * first word is not a command for threads: then the message is an ordinary reply.
 */
export function threadCommand(text: string, bot: string): ThreadCommand | undefined {
  const [start = '', mentioned] = /^\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>[,:]?\s/.exec(text) ?? [];
  const [word, words] = firstWord(text.slice(start.length));
  const name = mentioned === bot ? commandNamed(word) : undefined;
  return name !== undefined && describedAs(name).inThread ? { do: name, words } : undefined;
}

/** With more words after a command's name the text is a sentence addressed to people. */
const HINTED_WORDS = 4;

/**
 * Decides how it is handled: run if its text is exactly what the command accepts. Otherwise it may be addressed to
 * people ("close call yesterday"), so it stays a reply; if it looks like a slip, its author gets a hint.
 * @param fits whether its text is a valid argument: a status of this ticket, a time, a user.
 */
export function treatThreadCommand(
  { do: name, words }: ThreadCommand,
  fits: boolean,
): 'work' | 'reply' | 'reply and hint' {
  if (fits) return 'work';
  const takesWords = isOnTicket(name) && describedAs(name).needs !== undefined;
  return takesWords && words.split(/\s+/).length <= HINTED_WORDS ? 'reply and hint' : 'reply';
}

/** Returns whether a command without text requests the form. */
export function asksForForm(text: string): boolean {
  const command = parseCommand(text);
  return command.do === 'new' && command.words === '';
}
