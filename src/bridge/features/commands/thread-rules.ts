import { type CommandName, commandNamed, describedAs } from './table-rules.ts';

/** A command that was said to the bot in a ticket's thread, as far as its words tell. */
export interface ThreadCommand {
  do: CommandName;
  /** As chat wrote them. */
  words: string;
}

/**
 * The command behind a mention of the bot at the beginning of a message (B32): `@bot status done`. Undefined where the
 * first word names none that works in a thread: then the message is a reply like any other.
 */
export function threadCommand(text: string, bot: string): ThreadCommand | undefined {
  const [, mentioned, word = '', words = ''] =
    /^\s*<@([A-Z0-9]+)(?:\|[^>]*)?>[,:]?\s+(\S+)\s*(.*?)\s*$/s.exec(text) ?? [];
  const name = mentioned === bot ? commandNamed(word) : undefined;
  return name !== undefined && describedAs(name).inThread ? { do: name, words } : undefined;
}

/** More words than this behind a command's name are a sentence to people. */
const HINTED_WORDS = 4;

/**
 * What becomes of it: it is carried out where its words are just what it takes. Else somebody may be talking to people
 * ("close call yesterday"), so the message stays a reply; where it looks like a slip, its writer is told how to type it.
 * @param fits its words are of those that it takes: a status of this ticket, a time, a person.
 */
export function treatThreadCommand(
  { do: name, words }: ThreadCommand,
  fits: boolean,
): 'work' | 'reply' | 'reply and hint' {
  if (fits) return 'work';
  const takesWords = describedAs(name).takes === 'ticket and words';
  return takesWords && words.split(/\s+/).length <= HINTED_WORDS ? 'reply and hint' : 'reply';
}
