import { COMMAND_NAMES, type CommandGroup, type CommandName, describedAs, GROUPS } from './table-rules.ts';
import { escapeChat } from '../../text/to-chat.ts';

const code = (text: string) => `\`${escapeChat(text)}\``;

/**
 * Returns every command in its group, with a short description; then the user's next steps, if known.
 * @param next lines of mrkdwn.
 */
export function helpText(command: string, next: readonly string[] = []): string {
  const groups = (Object.keys(GROUPS) as CommandGroup[]).map((group) => {
    const names = COMMAND_NAMES.filter((name) => describedAs(name).group === group);
    return `*${GROUPS[group]}*  ${names.map((name) => code(name)).join('  ')}`;
  });
  return [
    `*Tickets from here.* Type ${code(`${command} <command>`)}, for example:`,
    ...(['new', 'list', 'show', 'close'] as const).map((name) => `• ${lineOf(command, name)}`),
    ...groups,
    `More about one: ${code(`${command} help snooze`)}. A ticket is named ${code('IT-42')}, ${code('#42')} in its queue’s channel, or by a link; without one I offer your recent ones.`,
    'You can also mention me in a message, or react to one with :ticket:. Replies in that thread are the conversation on the ticket, where I also take `status done`, `assign me` or `close` behind a mention of me.',
    ...(next.length > 0 ? ['*Next for you*', ...next.map((line) => `• ${line}`)] : []),
  ].join('\n');
}

function lineOf(command: string, name: CommandName): string {
  const { example, does } = describedAs(name);
  return `${code(`${command} ${example}`)} — ${does}`;
}

/** Returns the help of one command. */
export function helpOn(command: string, name: CommandName): string {
  const { form, does, example, also = [], inThread } = describedAs(name);
  return [
    `*${code(`${command} ${form}`)}* — ${does}`,
    `For example ${code(`${command} ${example}`)}.`,
    ...(also.length > 0 ? [`Also ${also.map((one) => code(one)).join(', ')}.`] : []),
    ...(inThread ? [`In the ticket’s thread, mention me: ${code(inThreadExample(example))}.`] : []),
  ].join('\n');
}

/** Returns the example for a ticket's thread: after a mention, without the reference. */
export function inThreadExample(example: string, bot = 'deskbridge'): string {
  return `@${bot} ${example.replace(/ IT-42/, '')}`;
}

/** Says what is missing, and the command's syntax (B36). */
export function incompleteText(command: string, name: CommandName, missing: string): string {
  const { form, example } = describedAs(name);
  return `Please say ${escapeChat(missing)}: ${code(`${command} ${form}`)}, for example ${code(`${command} ${example}`)}.`;
}

/** Says that the command is unknown, with similar ones, and how to open a ticket with this text (B36). */
export function unknownText(command: string, word: string, meant: readonly CommandName[]): string {
  const perhaps = meant.map((name) => code(`${command} ${describedAs(name).form}`)).join(' or ');
  return [
    `Unknown command ${code(word)}.${perhaps ? ` Did you mean ${perhaps}?` : ''}`,
    `${code(`${command} help`)} lists the commands; ${code(`${command} new <title>`)} opens a ticket.`,
  ].join('\n');
}
