export interface LinkWords {
  /** As it was typed; empty where none was. */
  queue: string;
  /** The team works there; else people ask there. */
  triage: boolean;
  /** The channel is only watched (B56). */
  observe: boolean;
}

/** What stands behind `/ticket link`; chat's apps make one long dash of two short ones. */
export function parseLink(words: string): LinkWords {
  const parts = words.split(/\s+/).filter(Boolean);
  const isObserve = (part: string) => /^(?:--?|[–—])observe$/i.test(part);
  const isTriage = (part: string, at: number) => at > 0 && part.toLowerCase() === 'triage';
  const flagless = parts.filter((part) => !isObserve(part));
  return {
    queue: flagless.filter((part, at) => !isTriage(part, at)).join(' '),
    triage: flagless.some(isTriage),
    observe: parts.some(isObserve),
  };
}
