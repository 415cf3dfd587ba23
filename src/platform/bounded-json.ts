/** What JSON may have: values are fields and items at any depth, `depth` the levels of objects and arrays. */
export interface JsonBounds {
  values: number;
  depth: number;
}

/**
 * Bounds of an event that another program reports. Slack's largest ones (a window with its state, a message with its
 * earlier version) have some thousand values; to read this many takes a few hundredths of a second.
 */
const EVENT_BOUNDS: JsonBounds = { values: 50_000, depth: 64 };

/** Parses the JSON of an event; undefined if it is not JSON, or has more values or levels than any event. */
export function parseEventJson(body: Buffer): unknown {
  if (isBeyond(body, EVENT_BOUNDS)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA, OBJECT, ARRAY, OBJECT_END, ARRAY_END] = Buffer.from('"\\,{[}]');

/**
 * Returns whether JSON has more than it may have. It is counted before anything is parsed: half a second passes until
 * `JSON.parse` has made a million objects of five megabytes. Each value but the first of its object or array follows a
 * comma.
 */
export function isBeyond(body: Buffer, { values, depth }: JsonBounds): boolean {
  let seen = 0;
  let level = 0;
  for (let at = 0; at < body.length; at++)
    switch (body[at]) {
      case QUOTE:
        at = endOfText(body, at);
        break;
      case COMMA:
        if (++seen > values) return true;
        break;
      case OBJECT:
      case ARRAY:
        if (++seen > values || ++level > depth) return true;
        break;
      case OBJECT_END:
      case ARRAY_END:
        level--;
        break;
    }
  return false;
}

/** Returns where the text ends that begins at a quote. */
function endOfText(body: Buffer, begin: number): number {
  for (let end = body.indexOf('"', begin + 1); end >= 0; end = body.indexOf('"', end + 1)) {
    let escapes = 0;
    while (body[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return body.length;
}
