const made = new Map<string, Intl.DateTimeFormat>();

/** A formatter of times in the reader's language: made once, since making one takes longer than drawing a message. */
export function dateFormat(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = made.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(locale, options);
  made.set(key, format);
  return format;
}
