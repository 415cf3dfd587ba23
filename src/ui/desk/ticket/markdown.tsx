import { useMemo } from 'react';

import { markdownToHtml } from '../../../platform/text/to-html.ts';
import { opened } from './opened.ts';

/**
 * Markdown as it will look once it is stored, for a preview and for a message that is being sent: read and written by
 * the same functions as at the desk's server, in chat and on pages. Only pictures are links here.
 */
export function Markdown({
  text,
  ...shown
}: {
  text: string;
  className?: string | undefined;
  'data-folded'?: true;
}) {
  const html = useMemo(() => opened(markdownToHtml(text)), [text]);
  return <div {...shown} dangerouslySetInnerHTML={{ __html: html }} />;
}
