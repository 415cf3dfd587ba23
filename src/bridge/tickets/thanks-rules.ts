/** Words of thanks and praise; one of them makes a message thanks. */
const THANKS = new Set(
  [
    'thanks thank thx tnx ty tysm thankyou cheers merci danke dankeschön gracias obrigado obrigada grazie',
    'dank bedankt tack takk tak kiitos dziękuję dzięki díky děkuji köszönöm mulțumesc teşekkürler teşekkür',
    'спасибо дякую ευχαριστώ ありがとう ありがとうございます 谢谢 謝謝 감사합니다 고마워요 شكرا תודה',
    'perfect perfekt perfecto parfait great awesome excellent brilliant wonderful super nice cool',
    'solved fixed works resolved sorted',
  ].flatMap((line) => line.split(' ')),
);
/** Words that may occur with them. */
const BESIDE = new Set(
  [
    'you so much very lots a lot many again all everyone both guys team for the your quick fast help support',
    'it this that now ok okay got yes yep good day weekend have and appreciated really too again',
    'schön sehr vielen viele dir ihnen euch beaucoup bien muchas mil muito mille je wel mange så mycket meget',
    'bardzo большое jest un de la el ça va',
  ].flatMap((line) => line.split(' ')),
);
/** A message with more words says something else. */
const WORDS_AT_MOST = 10;

/**
 * Returns whether a reply is only thanks or only emoji (B22): every word is in the tables above, or a name.
 * @param text in Slack's own markup.
 * @param names of users who may be thanked by name.
 */
export function isOnlyThanks(text: string, names: readonly string[] = []): boolean {
  if (text.includes('?')) return false;
  const named = new Set(names.flatMap((name) => name.toLowerCase().split(/\s+/)));
  const plain = text
    .replaceAll(/<@[A-Z0-9]+(?:\|[^<>]*)?>/g, ' ')
    .replaceAll(/:[\w+'-]+:/g, ' ')
    .toLowerCase();
  const said = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (said.length === 0) return EMOJI.test(text);
  return (
    said.length <= WORDS_AT_MOST &&
    said.some((word) => THANKS.has(word)) &&
    said.every((word) => THANKS.has(word) || BESIDE.has(word) || named.has(word))
  );
}

const EMOJI = /\p{Extended_Pictographic}|:[\w+'-]+:/u;
