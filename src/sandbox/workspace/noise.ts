/** What Slack changes in messages by itself: off, so that a test sees only what was done, until asked for. */
export interface Noise {
  /** A link in a message is previewed: `message_changed` with attachments and no `edited`. */
  unfurls: boolean;
  /** `message_changed` in which nothing changed. */
  languageDetection: boolean;
  /** Domains of which the app registered to hear (`link_shared`), in lower case. */
  unfurlDomains: string[];
}

export function createNoise(): Noise {
  return { unfurls: false, languageDetection: false, unfurlDomains: [] };
}
