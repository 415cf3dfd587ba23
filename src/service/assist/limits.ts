/** Bounds of the AI tools. Lengths are UTF-16 units. */
export const ASSIST_LIMITS = {
  /** Bytes of a request, and of an answer. */
  requestBytes: 256 * 1024,
  answerBytes: 512 * 1024,
  /** Milliseconds after which a call is answered, whatever it still does. */
  callMs: 20_000,
  /** Calls of one caller at a time. */
  callsAtOnce: 4,
  /** Records of one answer. */
  tickets: 20,
  messages: 20,
  documents: 5,
  choices: 50,
  people: 50,
  fields: 50,
  /** Texts in an answer. */
  name: 200,
  excerpt: 400,
  message: 4_000,
  document: 4_000,
  resource: 100_000,
  /** Words of a search for similar tickets. */
  similar: 500,
  idempotencyKey: { min: 8, max: 200 },
} as const;
