import type { Edit, MakeEdit } from './text-edits.ts';

/** Applies an edit so that the browser's undo reverts it. */
export function applyEdit(field: HTMLTextAreaElement, edit: Edit): void {
  field.focus();
  field.setSelectionRange(edit.from, edit.to);
  // Deprecated, but nothing else keeps the field's undo history.
  if (!document.execCommand(edit.text ? 'insertText' : 'delete', false, edit.text)) {
    field.setRangeText(edit.text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  field.setSelectionRange(edit.selectFrom, edit.selectTo);
}

/** Applies an edit to the selection of a field. */
export function editSelection(field: HTMLTextAreaElement | null, make: MakeEdit): void {
  if (field) applyEdit(field, make(field.value, field.selectionStart, field.selectionEnd));
}
