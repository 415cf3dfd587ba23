/** The arguments of a command. */
type Takes =
  | 'nothing'
  /** Optional text. */
  | 'perhaps words'
  | 'words'
  /** A ticket; if omitted, a menu offers the user's recent ones (B32). */
  | 'ticket'
  /** A ticket, as above, and text. */
  | 'ticket and words';

interface Described {
  /** Its syntax after the command's name. */
  form: string;
  does: string;
  example: string;
  takes: Takes;
  /** What the text is missing. */
  needs?: string;
  group: CommandGroup;
  /** Aliases. */
  also?: readonly string[];
  /** Also works as a mention in a ticket's thread, without the reference. */
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
 * (docs/admin.md, Commands); `work.ts` has their implementations.
 */
export const COMMANDS = {
  new: {
    form: 'new [<title>]',
    does: 'open a ticket with these words, or without any by a form',
    example: 'new The printer is on fire',
    takes: 'perhaps words',
    group: 'ask',
  },
  list: {
    form: 'list [mine | assigned | open | unassigned | snoozed]',
    does: 'your open requests; or what is assigned to you, or open, unassigned or snoozed in this channel’s queue',
    example: 'list unassigned',
    takes: 'perhaps words',
    group: 'ask',
    also: ['ls', 'my', 'mine'],
  },
  search: {
    form: 'search <words>',
    does: 'find tickets by what they say or mean',
    example: 'search vpn login',
    takes: 'words',
    needs: 'the words to look for',
    group: 'ask',
    also: ['find'],
  },
  show: {
    form: 'show [<ref>]',
    does: 'show one ticket, with a button that shares it with the channel',
    example: 'show IT-42',
    takes: 'ticket',
    group: 'ask',
    also: ['view'],
  },
  close: {
    form: 'close [<ref>]',
    does: 'close a ticket; also your own request',
    example: 'close IT-42',
    takes: 'ticket',
    group: 'ask',
    inThread: true,
  },
  reopen: {
    form: 'reopen [<ref>]',
    does: 'open a ticket again; also your own request',
    example: 'reopen IT-42',
    takes: 'ticket',
    group: 'ask',
    inThread: true,
  },
  status: {
    form: 'status [<ref>] <status>',
    does: 'set its status, by its name or the beginning of it',
    example: 'status IT-42 in progress',
    takes: 'ticket and words',
    needs: 'the new status',
    group: 'work',
    inThread: true,
  },
  assign: {
    form: 'assign [<ref>] <@person | me | nobody>',
    does: 'say who works on it',
    example: 'assign IT-42 me',
    takes: 'ticket and words',
    needs: 'who is to work on it',
    group: 'work',
    inThread: true,
  },
  priority: {
    form: 'priority [<ref>] <urgent | high | medium | low | none>',
    does: 'set its priority',
    example: 'priority IT-42 high',
    takes: 'ticket and words',
    needs: 'the new priority',
    group: 'work',
    also: ['prio'],
    inThread: true,
  },
  reply: {
    form: 'reply [<ref>] <text>',
    does: 'answer the requester, in their thread and under your name',
    example: 'reply IT-42 Have you tried the other charger?',
    takes: 'ticket and words',
    needs: 'the answer',
    group: 'work',
  },
  note: {
    form: 'note [<ref>] <text>',
    does: 'add an internal note, which the requester does not see',
    example: 'note IT-42 Warranty ended in May',
    takes: 'ticket and words',
    needs: 'the note',
    group: 'work',
  },
  snooze: {
    form: 'snooze [<ref>] <when | off>',
    does: 'put it aside until then, by your own clock',
    example: 'snooze IT-42 tomorrow 9am',
    takes: 'ticket and words',
    needs: 'until when',
    group: 'work',
    inThread: true,
  },
  due: {
    form: 'due [<ref>] <when | off>',
    does: 'say when it has to be done, by your own clock',
    example: 'due IT-42 friday',
    takes: 'ticket and words',
    needs: 'when it is due',
    group: 'work',
    inThread: true,
  },
  stats: {
    form: 'stats',
    does: 'how many tickets of this channel’s queue are open, unassigned, new and done this week, and how fast',
    example: 'stats',
    takes: 'nothing',
    group: 'team',
  },
  why: {
    form: 'why <link to a message>',
    does: 'what the bridge decided for a message, by which rule, and what to change; also *Why?* in a message’s *Ticket actions*',
    example: 'why https://acme.slack.com/archives/C0123/p1700000000000100',
    takes: 'words',
    needs: 'the link to a message (in its menu: *Copy link*)',
    group: 'team',
  },
  link: {
    form: 'link <queue> [triage] [--observe]',
    does: 'make this channel the queue’s: for requests, for its team (`triage`), or only watched (`--observe`)',
    example: 'link IT',
    takes: 'perhaps words',
    group: 'setUp',
  },
  unlink: {
    form: 'unlink',
    does: 'end that; tickets that are open keep their threads',
    example: 'unlink',
    takes: 'nothing',
    group: 'setUp',
  },
  observed: {
    form: 'observed',
    does: 'the tickets that would have been opened in this watched channel',
    example: 'observed',
    takes: 'nothing',
    group: 'setUp',
  },
  settings: {
    form: 'settings [<name> <value>]',
    does: 'show the bridge’s own settings, or set one',
    example: 'settings bots on',
    takes: 'perhaps words',
    group: 'setUp',
  },
  notify: {
    form: 'notify [all | mine | none]',
    does: 'choose what I tell you by direct message',
    example: 'notify mine',
    takes: 'perhaps words',
    group: 'ask',
  },
  help: {
    form: 'help [<command>]',
    does: 'this list, or more about one command',
    example: 'help snooze',
    takes: 'perhaps words',
    group: 'ask',
  },
} as const satisfies Record<string, Described>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** Returns the description of a command. */
export function describedAs(name: CommandName): Described {
  return COMMANDS[name];
}

/** Returns the command with a name, ignoring case. */
export function commandNamed(word: string): CommandName | undefined {
  const typed = word.toLowerCase();
  return COMMAND_NAMES.find((name) => name === typed || describedAs(name).also?.includes(typed));
}
