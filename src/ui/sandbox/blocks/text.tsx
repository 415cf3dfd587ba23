import { emojiOf } from '../emoji.tsx';
import { safeUrl } from '../safe-url.ts';
import type { Image, TextObject } from '../types.ts';
import { Mrkdwn } from './mrkdwn.tsx';

/** A text object; plain text only converts emoji names. */
export function Words({ text }: { text: TextObject | undefined }) {
  if (!text) return null;
  if (text.type === 'mrkdwn') return <Mrkdwn text={text.text ?? ''} />;
  return <span className="lines">{plain(text)}</span>;
}

/** A text object without any formatting, for labels and options. */
export function plain(text: TextObject | null | undefined): string {
  return (text?.text ?? '').replace(/:([a-z0-9_+-]+):/g, (_whole, name: string) => emojiOf(name));
}

/** An image by its URL, or a file of the workspace; the alternative text if neither can be shown. */
export function Picture({ image }: { image: Image }) {
  const file = image.slack_file;
  // The page reads files of the workspace without an app's token.
  const id = file?.id ?? /-(F[A-Z0-9]+)\//.exec(file?.url ?? '')?.[1];
  const url = safeUrl(image.image_url) ?? (id ? `/_control/files/${encodeURIComponent(id)}` : undefined);
  return url === undefined ? (
    <span className="dim">{image.alt_text ?? ''}</span>
  ) : (
    <img src={url} alt={image.alt_text ?? ''} loading="lazy" />
  );
}
