const LINK = /\/archives\/([A-Za-z0-9]+)/;
const MENTION = /^<#([A-Za-z0-9]+)(?:\|[^>]*)?>$/;
const ID = /^[A-Za-z0-9]+$/;

/** The id of a chat channel in what people paste: its link, its mention or the id; undefined if there is none. */
export function channelIdIn(pasted: string): string | undefined {
  const text = pasted.trim();
  return LINK.exec(text)?.[1] ?? MENTION.exec(text)?.[1] ?? (ID.test(text) ? text : undefined);
}
