import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import type { BlockElement, UploadedFile } from '../types.ts';
import { filesIn, readText, textIn } from './state.ts';
import type { Tool } from './surface.ts';

const TYPES: Partial<Record<string, string>> = {
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'text',
};

/**
 * Text, number, e-mail, URL: stored on every input event; the app is notified according to
 * `dispatch_action_config`.
 */
export function textField(element: BlockElement, tool: Tool): HTMLElement {
  const { multiline, dispatch_action_config: dispatch } = element;
  const on = dispatch?.trigger_actions_on ?? ['on_enter_pressed'];
  return h(multiline ? 'textarea' : 'input', {
    class: 'block-input',
    type: multiline ? undefined : (TYPES[element.type] ?? 'text'),
    inputmode:
      element.type === 'number_input' ? (element.is_decimal_allowed ? 'decimal' : 'numeric') : undefined,
    rows: multiline ? 4 : undefined,
    placeholder: element.placeholder?.text,
    autofocus: element.focus_on_load === true,
    value: textIn(tool.given),
    'aria-label': tool.label,
    autocomplete: 'off',
    data: { key: tool.key },
    oninput: ({ currentTarget: { value } }) => {
      tool.put(value === '' ? null : value);
      if (tool.tells && on.includes('on_character_entered')) void tool.tell(value);
    },
    onkeydown: (event) => {
      if (event.key !== 'Enter' || event.shiftKey || !tool.tells) return;
      if (!on.includes('on_enter_pressed')) return;
      event.preventDefault();
      void tool.tell(event.currentTarget.value);
    },
  });
}

/**
 * A rich text field accepts the composer's syntax, with `*bold*` and lists; the sandbox converts it to
 * blocks.
 */
export function richField(element: BlockElement, tool: Tool): HTMLElement {
  return textField({ ...element, multiline: true }, { ...tool, given: readText(tool.given) });
}

/** Files are uploaded as they are chosen; the field holds their ids. */
export function fileField(element: BlockElement, tool: Tool): HTMLElement {
  const { surface } = tool;
  let files = filesIn(tool.given);
  const list = h('ul.file-list');
  const draw = () =>
    list.replaceChildren(
      ...files.map((file) =>
        h(
          'li',
          file.name,
          h(
            'button.icon-button',
            {
              'aria-label': `Remove ${file.name}`,
              onclick: () => change(files.filter((other) => other !== file)),
            },
            icon('close'),
          ),
        ),
      ),
    );
  const change = (next: UploadedFile[]) => {
    files = next;
    tool.choose(files.map(({ id }) => id));
    draw();
  };
  const input = h('input.block-file', {
    type: 'file',
    multiple: (element.max_files ?? 10) > 1,
    accept: element.filetypes?.map((type) => `.${type}`).join(','),
    'aria-label': tool.label,
    data: { key: tool.key },
    onchange: async () => {
      const added = await surface.upload([...(input.files ?? [])]);
      input.value = '';
      if (added.length > 0) change([...files, ...added].slice(0, element.max_files ?? 10));
    },
  });
  draw();
  return h('span.file-field', input, list);
}
