import { emojiOf } from '../emoji.ts';
import { type Child, h, safeUrl } from '../dom.ts';
import type { Image, TextObject } from '../types.ts';
import { mrkdwn } from './inline.ts';

/** Draws a text object; plain text only converts emoji names. */
export function textObject(text: TextObject | undefined): Child {
  if (!text) return '';
  if (text.type === 'mrkdwn') return mrkdwn(text.text ?? '');
  return h('span.lines', plain(text));
}

/** A text object without any formatting, for labels and options. */
export function plain(text: TextObject | null | undefined): string {
  return (text?.text ?? '').replace(/:([a-z0-9_+-]+):/g, (_whole, name: string) => emojiOf(name));
}

/** An image by its URL, or a file of the workspace; the alternative text if neither can be shown. */
export function picture(element: Image): HTMLElement {
  const file = element.slack_file;
  // The page reads files of the workspace without an app's token.
  const id = file?.id ?? /-(F[A-Z0-9]+)\//.exec(file?.url ?? '')?.[1];
  const url = safeUrl(element.image_url) ?? (id && `/_control/files/${encodeURIComponent(id)}`);
  return url
    ? h('img', { src: url, alt: element.alt_text ?? '', loading: 'lazy' })
    : h('span.dim', element.alt_text ?? '');
}
