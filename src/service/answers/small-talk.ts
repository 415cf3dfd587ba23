/** Phrases that ask for nothing, in a few languages, as people write them in a help desk's threads. */
const SMALL_TALK = new Set(
  [
    'hi hello hey hiya howdy yo morning good afternoon evening day there everyone all team',
    'thanks thank you thx ty cheers much so very a lot great perfect awesome cool nice lovely super',
    'ok okay k yes yep yeah no nope sure done got it works worked that this now again bye',
    'hallo moin servus guten tag morgen abend danke dankeschön vielen dank bitte gern gerne passt alles klar prima',
    'hola buenos dias días gracias muchas vale bonjour salut merci beaucoup ciao grazie olá obrigado obrigada',
    'hej hei tack takk cześć dziękuję ahoj děkuji привет спасибо',
  ].flatMap((line) => line.split(' ')),
);
/** A text with more words, or longer, is never small talk. */
const WORDS_AT_MOST = 8;
const CHARACTERS_AT_MOST = 1_000;

/** Returns whether a text is a greeting, thanks or a plain yes or no (`onlyRespondToRequests`). */
export function isSmallTalk(text: string): boolean {
  if (text.includes('?') || text.length > CHARACTERS_AT_MOST) return false;
  const words = text
    .replaceAll(/\[@[^[\]]*\]\(user:[^()]*\)|@[\w.-]+|:[\w+-]+:/g, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  if (!words) return true;
  return words.length <= WORDS_AT_MOST && words.every((word) => SMALL_TALK.has(word));
}
