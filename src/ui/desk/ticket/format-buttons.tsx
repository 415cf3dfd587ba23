import { Bold, Code, Italic, Link as LinkSign, List as ListSign } from 'lucide-react';
import type { KeyboardEvent, RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { IconButton } from '../../kit/button.tsx';
import { editSelection } from './apply-edit.ts';
import { insertLink, type MakeEdit, toggleCode, toggleList, toggleMark } from './text-edits.ts';

const bold: MakeEdit = (text, from, to) => toggleMark(text, from, to, '**');
const italic: MakeEdit = (text, from, to) => toggleMark(text, from, to, '_');

/** Formats the selection on Ctrl+B and Ctrl+I. */
export function formatByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (!(event.ctrlKey || event.metaKey)) return;
  const make = { b: bold, i: italic }[event.key];
  if (!make) return;
  event.preventDefault();
  editSelection(event.currentTarget, make);
}

/** The buttons that format the selection in a Markdown field. */
export function FormatButtons({
  field,
  rare,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  /** The class of the buttons that are hidden in a narrow window. */
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
        <IconButton label={t('code')} onPress={() => edit(toggleCode)}>
          <Code size={15} aria-hidden />
        </IconButton>
      </span>
      <IconButton label={t('bulletList')} onPress={() => edit(toggleList)}>
        <ListSign size={15} aria-hidden />
      </IconButton>
      <IconButton
        label={t('link')}
        onPress={() => edit((text, from, to) => insertLink(text, from, to, t('linkText')))}
      >
        <LinkSign size={15} aria-hidden />
      </IconButton>
    </>
  );
}
