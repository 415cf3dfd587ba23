import { Bold, Code, Italic, Link as LinkSign, List as ListSign } from 'lucide-react';
import type { KeyboardEvent, RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { IconButton } from '../kit/button.tsx';
import { asCode, asLink, asList, editSelection, type MakeEdit, wrapped } from './text-edits.ts';

const bold: MakeEdit = (text, from, to) => wrapped(text, from, to, '**');
const italic: MakeEdit = (text, from, to) => wrapped(text, from, to, '_');

/** Formats what is selected by Ctrl+B and Ctrl+I. */
export function formatByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (!(event.ctrlKey || event.metaKey)) return;
  const make = { b: bold, i: italic }[event.key];
  if (!make) return;
  event.preventDefault();
  editSelection(event.currentTarget, make);
}

/** The buttons that format what is selected in a field of Markdown. */
export function FormatButtons({
  field,
  rare,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  /** The class of what is left out where there is little room. */
  rare?: string | undefined;
}) {
  const t = useTranslations('ticket');
  const edit = (make: MakeEdit) => editSelection(field.current, make);
  return (
    <>
      <IconButton label={t('bold')} keys="Mod+b" onPress={() => edit(bold)}>
        <Bold size={15} aria-hidden />
      </IconButton>
      <IconButton label={t('italic')} keys="Mod+i" onPress={() => edit(italic)}>
        <Italic size={15} aria-hidden />
      </IconButton>
      <span className={rare}>
        <IconButton label={t('code')} onPress={() => edit(asCode)}>
          <Code size={15} aria-hidden />
        </IconButton>
      </span>
      <IconButton label={t('bulletList')} onPress={() => edit(asList)}>
        <ListSign size={15} aria-hidden />
      </IconButton>
      <IconButton
        label={t('link')}
        onPress={() => edit((text, from, to) => asLink(text, from, to, t('linkText')))}
      >
        <LinkSign size={15} aria-hidden />
      </IconButton>
    </>
  );
}
