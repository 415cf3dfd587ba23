/**
 * Returns the locale in which the desk writes times and numbers: English, as its texts are, of the reader's region,
 * with the clock (12 or 24 hours) of the reader's first language.
 * @param languages that the browser asks for, the preferred one first.
 */
export function readerLocale(languages: readonly string[]): string {
  // Some systems report names that are no language tags, such as `en-US@posix`.
  const known = languages.filter(isLanguageTag);
  const english = known.find((language) => new Intl.Locale(language).language === 'en') ?? 'en';
  const { hourCycle } = new Intl.DateTimeFormat(known[0] ?? english, { hour: 'numeric' }).resolvedOptions();
  return new Intl.Locale(english, hourCycle && { hourCycle }).toString();
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** The IANA time zone of the reader's days. */
export const READER_TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
