import { X } from 'lucide-react';
import { useRef, useState } from 'react';

import { NativeIconButton } from '../../kit/native-button.tsx';
import { NativeInput, NativeTextArea } from '../../kit/native-field.tsx';
import type { UploadedFile } from '../types.ts';
import { filesIn, readText, textIn } from './state.ts';
import type { ElementProps } from './surface.ts';

const TYPES: Partial<Record<string, string>> = {
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'text',
};

/**
 * Text, number, e-mail, URL: stored on every input event; the app is notified according to
 * `dispatch_action_config`.
 */
export function TextElement({ element, tool }: ElementProps) {
  const { multiline, dispatch_action_config: dispatch } = element;
  const on = dispatch?.trigger_actions_on ?? ['on_enter_pressed'];
  const shared = {
    placeholder: element.placeholder?.text,
    value: textIn(tool.given),
    'aria-label': tool.label,
    ...(element.focus_on_load === true && { 'data-first': true }),
    ...tool.aria,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      tool.put(value === '' ? null : value);
      if (tool.tells && on.includes('on_character_entered')) void tool.tell(value);
    },
    onKeyDown: (event: {
      key: string;
      shiftKey: boolean;
      currentTarget: { value: string };
      preventDefault: () => void;
    }) => {
      if (event.key !== 'Enter' || event.shiftKey || !tool.tells) return;
      if (!on.includes('on_enter_pressed')) return;
      event.preventDefault();
      void tool.tell(event.currentTarget.value);
    },
  };
  if (multiline) return <NativeTextArea rows={4} autoComplete="off" {...shared} />;
  const inputMode =
    element.type === 'number_input' ? (element.is_decimal_allowed ? 'decimal' : 'numeric') : undefined;
  return <NativeInput type={TYPES[element.type] ?? 'text'} inputMode={inputMode} {...shared} />;
}

/**
 * A rich text field accepts the composer's syntax, with `*bold*` and lists; the sandbox converts it to
 * blocks.
 */
export function RichElement({ element, tool }: ElementProps) {
  return (
    <TextElement element={{ ...element, multiline: true }} tool={{ ...tool, given: readText(tool.given) }} />
  );
}

/** Files are uploaded as they are chosen; the field holds their ids. */
export function FileElement({ element, tool }: ElementProps) {
  const input = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState(filesIn(tool.given));
  const max = element.max_files ?? 10;
  const change = (next: UploadedFile[]) => {
    setFiles(next);
    tool.choose(next.map(({ id }) => id));
  };
  const bring = async (chosen: File[]) => {
    const added = await tool.surface.upload(chosen);
    if (input.current) input.current.value = '';
    if (added.length > 0) change([...files, ...added].slice(0, max));
  };
  return (
    <span className="file-field">
      <input
        ref={input}
        className="block-file"
        type="file"
        multiple={max > 1}
        accept={element.filetypes?.map((type) => `.${type}`).join(',')}
        aria-label={tool.label}
        {...tool.aria}
        onChange={(event) => void bring([...(event.currentTarget.files ?? [])])}
      />
      <ul className="file-list">
        {files.map((file) => (
          <li key={file.id}>
            {file.name}
            <NativeIconButton
              label={`Remove ${file.name}`}
              onClick={() => change(files.filter((other) => other !== file))}
            >
              <X size={18} aria-hidden />
            </NativeIconButton>
          </li>
        ))}
      </ul>
    </span>
  );
}
