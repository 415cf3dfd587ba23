import { type CommandName, commandNamed, describedAs } from './table-rules.ts';

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
  const [, mentioned, word = '', words = ''] =
    /^\s*<@([A-Z0-9]+)(?:\|[^>]*)?>[,:]?\s+(\S+)\s*(.*?)\s*$/s.exec(text) ?? [];
  const name = mentioned === bot ? commandNamed(word) : undefined;
  return name !== undefined && describedAs(name).inThread ? { do: name, words } : undefined;
}

/** With more words after a command's name it is a sentence to people. */
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
  const takesWords = describedAs(name).takes === 'ticket and words';
  return takesWords && words.split(/\s+/).length <= HINTED_WORDS ? 'reply and hint' : 'reply';
}
