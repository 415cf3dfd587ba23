import { isNoMoment } from '../../src/bridge/features/commands/change.ts';
import { parseCommand, parseLink, threadCommand } from '../../src/bridge/tickets/command-rules.ts';
import { isEmojiName, withSigns, plainEmoji, emojiKey } from '../../src/platform/text/emoji.ts';
import { parseWhen } from '../../src/bridge/blocks/time.ts';
import { fileLine } from '../../src/bridge/text/file-line.ts';
import { chatToMarkdown, saysMoreThan } from '../../src/bridge/text/from-chat.ts';
import { mentionedUsers, referencesIn } from '../../src/bridge/text/references.ts';
import { mrkdwnElements, plainMrkdwn } from '../../src/bridge/text/mrkdwn.ts';
import { fileNameOf, imagesIn, markdownWords, quoteInChat } from '../../src/bridge/text/to-chat.ts';
import { isGreeting } from '../../src/bridge/threads/rules.ts';
import { codeOfPage } from '../../src/bridge/tickets/ticket-facts.ts';
import { isOnlyThanks, matchName, parseRef, titleFromText } from '../../src/bridge/tickets/rules.ts';
import { retryAfterMs } from '../../src/contract/retry-after.ts';
import { renderCannedReply, unknownVariables } from '../../src/contract/saved/canned-reply-text.ts';
import { attachmentNamed } from '../../src/platform/http/attachment.ts';
import { readCookie } from '../../src/platform/http/cookies.ts';
import { rangeOf } from '../../src/platform/http/range.ts';
import { addressesIn } from '../../src/platform/text/addresses.ts';
import { needsPlainText, plainFromMarkdown, plainToMarkdown } from '../../src/platform/text/budget.ts';
import { addressText, cleanText, encodedUrl, isLinkable, shownUrl } from '../../src/platform/text/clean.ts';
import { shownLabel } from '../../src/platform/text/link-label.ts';
import { escapeMarkdown, parseMarkdown, wordsOf } from '../../src/platform/text/markdown.ts';
import { mentionedIn } from '../../src/platform/text/mentions.ts';
import { parseMrkdwn } from '../../src/platform/text/mrkdwn.ts';
import { escapeHtml, markdownToHtml } from '../../src/platform/text/to-html.ts';
import { parseRichText } from '../../src/sandbox/rich-text/parse.ts';
import { isTs, parseBound } from '../../src/sandbox/workspace/timestamps.ts';
import { linksIn } from '../../src/sandbox/workspace/links.ts';
import { passagesIn } from '../../src/service/answers/paragraphs.ts';
import {
  addressesIn as addressesOf,
  escapeText,
  sanitizeMarkdown,
} from '../../src/service/answers/sanitize-markdown.ts';
import { isSmallTalk } from '../../src/service/answers/small-talk.ts';
import { extendedName } from '../../src/service/files/disposition.ts';
import { cleanName } from '../../src/service/files/name.ts';
import { returnPath } from '../../src/service/sign-in/return-path.ts';
import { fillTitleTemplate } from '../../src/service/tickets/title-template.ts';
import { growth } from './growth.ts';

const names = { user: () => undefined, channel: () => undefined };
const rich = (text: string) => [
  { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
];
const when = { now: new Date(0), timeZone: 'Europe/Berlin', timeOfDay: '09:00' };
const file = { mimetype: 'text/plain', bytes: 1, permalink: 'https://acme.example/f' };
const nobody = () => undefined;
const READING = { userId: nobody, channelId: nobody, channelName: nobody };
const HOST = 'https://desk.example';

/**
 * Every function that reads a text which a stranger may have written: a message, a title, a file's name, a header. One
 * that is added to the program is added here.
 */
export const READERS: Record<string, (text: string) => unknown> = {
  // Chat: what people type.
  parseRef,
  'parseRef of a link': (text) => parseRef(`<${text}>`),
  isOnlyThanks: (text) => isOnlyThanks(text, [text]),
  isGreeting,
  titleOf: titleFromText,
  'matchName of a typed name': (text) => matchName(text, [{ label: 'Ada Lamp' }]),
  'matchName among names': (text) => matchName('ada', [{ label: text }]),
  parseWhen: (text) => parseWhen(text, when),
  isNoMoment,
  parseCommand,
  'parseCommand with a command': (text) => parseCommand(`status ${text}`),
  parseLink,
  'threadCommand with a mention': (text) => threadCommand(`<@U1> close ${text}`, 'U1'),
  'threadCommand with a label': (text) => threadCommand(`<@U1|${text}`, 'U1'),
  'referencesIn a text': (text) => referencesIn({ text, blocks: [] }),
  'referencesIn rich text': (text) => referencesIn({ text: '', blocks: rich(text) }),
  'referencesIn an attachment': (text) => referencesIn({ text: '', blocks: [], attachments: [{ text }] }),
  mentionedUsers: (text) => mentionedUsers({ text, blocks: rich(text) }),
  saysMoreThan: (text) => saysMoreThan('U1', { text, blocks: [] }),
  'chatToMarkdown of rich text': (text) => chatToMarkdown({ text, blocks: rich(text) }, names),
  'chatToMarkdown of an attachment': (text) =>
    chatToMarkdown({ text: '', blocks: [], attachments: [{ text, title: text, footer: text }] }, names),
  parseMrkdwn: (text) => parseMrkdwn(text),
  'parseMrkdwn of all that it reads': (text) =>
    parseMrkdwn(text, { lists: 'typed', addresses: true, named: nobody, isEscaped: false }),
  mrkdwnElements,
  plainMrkdwn,
  'fileLine by name': (text) => fileLine({ ...file, name: text }, 'shown'),
  'fileLine by link': (text) => fileLine({ ...file, name: 'x', permalink: `https://${text}` }, 'shown'),
  fileNameOf: (text) => fileNameOf(`${HOST}/${text}`, 'image/png'),
  codeOfPage: (text) => codeOfPage(HOST, `${HOST}/shared/${text}`),
  // Markdown: what is on tickets.
  markdownWords,
  quoteInChat,
  imagesIn,
  wordsOf: (text) => wordsOf(parseMarkdown(text)),
  mentionedIn,
  markdownToHtml: (text) => markdownToHtml(text),
  escapeMarkdown,
  escapeHtml,
  needsPlainText,
  plainFromMarkdown,
  plainToMarkdown,
  addressesIn: (text) => addressesIn(text),
  cleanText,
  isLinkable: (text) => isLinkable(`https://${text}`),
  encodedUrl: (text) => encodedUrl(`https://${text}`),
  shownUrl: (text) => shownUrl(`mailto:${text}`),
  addressText: (text) => addressText(`https://${text}`, text),
  shownLabel: (text) => shownLabel(`https://${text}`, text),
  withSigns,
  plainEmoji,
  emojiKey,
  isEmojiName,
  // The service.
  isSmallTalk,
  passagesIn,
  addressesOf,
  sanitizeMarkdown: (text) => sanitizeMarkdown(text, () => true),
  escapeText,
  cleanName: (text) => cleanName(text),
  extendedName: (text) => extendedName(`form-data;${text}`),
  returnPath: (text) => returnPath(text, HOST),
  'fillTitleTemplate a template': (text) =>
    fillTitleTemplate(text.slice(0, 500), { fields: [], values: {}, requestType: 'x', requester: 'x' }),
  'fillTitleTemplate a name': (text) =>
    fillTitleTemplate('{{requester}}', { fields: [], values: {}, requestType: 'x', requester: text }),
  unknownVariables,
  renderCannedReply: (text) => renderCannedReply(text, { 'requester.first_name': text.slice(0, 50) }),
  // Headers.
  rangeOf: (text) => rangeOf(`bytes=${text}`, 100),
  readCookie: (text) => readCookie(text, { name: 'deskbridge_session', secure: false }),
  retryAfterMs: (text) => retryAfterMs(text, new Date(0)),
  attachmentNamed,
  // The sandbox, in whose process the program runs in a try-out.
  linksIn,
  'parseRichText that is typed': (text) => parseRichText(text, { ...READING, typed: true }, 'b'),
  'parseRichText of an app': (text) => parseRichText(text, { ...READING, typed: false }, 'b'),
  isTs,
  parseBound,
};

/** What patterns look for, and what they must not find; repeated, alone and in pairs. */
const SIGNS = [
  '<',
  '>',
  '|',
  '@',
  '#',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '*',
  '_',
  '~',
  '`',
  ':',
  '.',
  ',',
  '!',
  '?',
  '-',
  '+',
  '=',
  '/',
  '\\',
  '&',
  ';',
  '"',
  "'",
  ' ',
  '\t',
  '\n',
  '\r',
  '\u00a0',
  '\u200b',
  'a',
  'A',
  '1',
  '語',
  '👍',
];
const LONGER = [
  '<|',
  '|<',
  '<@',
  '<@U1',
  '<@U1|',
  '<@U1|a',
  '<#C1|',
  '<!subteam^S1|',
  '<https://a',
  '<https://a|',
  'https://a ',
  'ftp://a ',
  'https://',
  '[@',
  '@[',
  '[@a](user:',
  '[a](<',
  '![',
  '[](',
  '{{',
  '{{ ',
  '{{a',
  ':a',
  ':a:',
  ':a',
  '::',
  ':+1::skin-tone-3:',
  'monday ',
  'next monday at ',
  '1/1/',
  '12:00 ',
  'in 2 days ',
  '1.',
  '. ',
  ' .',
  '.a',
  '..a',
  'a. ',
  '  a',
  ' \n',
  '\n ',
  '\n\n',
  '&lt;',
  '&amp',
  '```',
  '```a',
  '``a',
  '~~',
  '**a*',
  '> ',
  '- ',
  '1. ',
  '| a ',
  '|-',
  'a@',
  'a@b.',
  'mailto:a',
  'www.',
  'www.a.',
  'thanks ',
  'a b',
  'aaaaaaaaa ',
  '-1',
  'x-',
  '://',
  '/../',
  '%2',
  'a=b; ',
  '0-0,',
  'ﷺ',
  '\u202e',
  '\ud83d',
];

/** Units that are repeated to a hostile text: longer ones, each sign, and each pair of signs. */
export const UNITS: readonly string[] = [
  ...LONGER,
  ...SIGNS,
  ...SIGNS.flatMap((one) => SIGNS.map((two) => one + two)),
];
/** Units that were slow in some reader: the drill tries them in every run. */
export const SLOW_UNITS: readonly string[] = [
  '<|',
  '<@U1|a',
  '<https://a|',
  '[@',
  '@[',
  '[](',
  '**a*',
  '```a',
  '{{ ',
  ':a',
  '| a ',
  'monday ',
  '. ',
  ' ',
  ' \n',
  '\n',
  '\ud83d',
  'ftp://a ',
  'https://a ',
];
/** Of those, one for each kind of pattern: what the quick test tries. */
export const QUICK_UNITS: readonly string[] = [
  '<|',
  '[@',
  '[](',
  '**a*',
  '```a',
  '{{ ',
  ':a',
  'monday ',
  '. ',
  ' \n',
];

/** The unit repeated to a text, and one that ends with something else, where a search from each place finds nothing. */
const HOSTILE: readonly ((unit: string, length: number) => string)[] = [
  repeated,
  (unit, length) => `a${repeated(unit, length)}\u0001x`,
];

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Returns the units whose repetitions take a reader more than twice the time when they are twice as long. */
export function slowUnits(
  read: (text: string) => unknown,
  units: readonly string[],
  characters: number,
): { unit: string; endsOtherwise: boolean; times: string }[] {
  return units.flatMap((unit) =>
    HOSTILE.flatMap((textOf, at) => {
      const times = growth(read, (length) => textOf(unit, length), characters);
      return times === undefined ? [] : [{ unit, endsOtherwise: at === 1, times: times.toFixed(1) }];
    }),
  );
}
