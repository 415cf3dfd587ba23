/** The result of matching a typed name: one record, several, or none. */
export type NameMatch<Named> = { found: Named } | { candidates: Named[] } | undefined;

/**
 * Returns the record with a typed name: equal ignoring case, blanks and hyphens, else the only one with this prefix
 * (B33).
 */
export function matchName<Named extends { label: string }>(
  typed: string,
  records: readonly Named[],
): NameMatch<Named> {
  const key = plain(typed);
  if (!key) return undefined;
  const equal = records.find((record) => plain(record.label) === key);
  if (equal) return { found: equal };
  const candidates = records.filter((record) => plain(record.label).startsWith(key));
  const inWord =
    candidates.length > 0
      ? candidates
      : records.filter((record) =>
          record.label
            .toLowerCase()
            .split(/\s+/)
            .some((word) => word.startsWith(key)),
        );
  const [only] = inWord;
  if (only && inWord.length === 1) return { found: only };
  return inWord.length > 0 ? { candidates: inWord } : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
