interface LinkWords {
  /** As typed; empty if there was none. */
  queue: string;
  /** The team works there; else it is for requests. */
  triage: boolean;
  /** Observe mode (B56). */
  observe: boolean;
}

/** Parses the text after `/ticket link`; Slack turns two hyphens into a long dash. */
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
