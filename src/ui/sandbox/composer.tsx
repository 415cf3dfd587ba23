import {
  AtSign,
  FileIcon,
  type LucideIcon,
  Paperclip,
  SendHorizontal,
  Slash,
  Smile,
  X,
  Zap,
} from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { NativeIconButton } from '../kit/native-button.tsx';
import type { MenuEntry } from '../kit/types.ts';
import { api } from './api.ts';
import { attemptWithApp } from './attempt.ts';
import { editLast } from './edit-last.ts';
import { notifyError } from './notice.ts';
import { classNames } from './parts/class-names.ts';
import { EmojiButton } from './parts/emoji-picker.tsx';
import { MenuButton } from './parts/menu.tsx';
import { store } from './store.ts';
import { useSuggestions } from './suggest.tsx';
import { sendFiles } from './upload.ts';

/** Unsent drafts by place and person, so that they survive navigation. */
const drafts = new Map<string, { text: string; files: File[] }>();

/** The composers on the page, by their ids: others add files to them, and texts. */
const shown = new Map<string, { add: (files: File[]) => void; fill: (text: string) => void }>();

/** The id of the composer of the channel that is open. */
export const CHANNEL_COMPOSER = 'composer-channel';

interface ComposerProps {
  id: string;
  label: string;
  channel: string;
  placeholder: string;
  threadTs?: string;
  focuses?: boolean;
}

/** The composer of a place and person; each has another draft. */
export function Composer(props: ComposerProps) {
  const draft = `${store.me} ${props.channel} ${props.threadTs ?? ''}`;
  return <DraftComposer key={draft} draft={draft} {...props} />;
}

/** Enter sends, Shift+Enter adds a line, `/…` is a command; `@`, `#`, `:` and `/` suggest. */
function DraftComposer({
  id,
  label,
  placeholder,
  channel,
  threadTs,
  focuses = false,
  draft,
}: ComposerProps & { draft: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const also = useRef<HTMLInputElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState(drafts.get(draft)?.files ?? []);
  // The field keeps its text itself: what is inserted into it keeps the place of the caret.
  const [begun] = useState(drafts.get(draft)?.text ?? '');
  const [text, setText] = useState(begun);
  const readText = () => setText(area.current?.value ?? '');

  const suggestions = useSuggestions(area, id, readText);
  const textChanged = () => {
    readText();
    suggestions.look();
  };
  useEffect(() => void drafts.set(draft, { text, files }), [draft, text, files]);
  useLayoutEffect(() => {
    if (focuses) area.current?.focus();
  }, [focuses]);

  const insert = (text: string) => {
    const { current } = area;
    if (!current) return;
    current.focus();
    current.setRangeText(text, current.selectionStart, current.selectionEnd, 'end');
    textChanged();
  };
  const fill = (text: string) => {
    const { current } = area;
    if (!current) return;
    current.value = text;
    current.focus();
    textChanged();
  };
  const add = (more: File[]) => {
    setFiles((before) => [...before, ...more]);
    area.current?.focus();
  };
  useEffect(() => {
    shown.set(id, { add, fill });
    return () => void shown.delete(id);
  });

  const submit = async () => {
    const { current } = area;
    const said = current?.value.trim() ?? '';
    if (!current || (said === '' && files.length === 0)) return;
    const sending = files;
    const broadcast = also.current?.checked === true;
    current.value = '';
    setFiles([]);
    if (also.current) also.current.checked = false;
    readText();
    try {
      await say(said, sending, { channel, threadTs, broadcast });
    } catch (error) {
      // What was typed and chosen is restored after an error.
      if (current.value === '') current.value = said;
      setFiles((before) => [...sending, ...before]);
      if (also.current && broadcast) also.current.checked = true;
      readText();
      notifyError(error);
    }
  };

  const mark = (sign: string) => {
    const { current } = area;
    if (!current) return;
    const { selectionStart: from, selectionEnd: to, value } = current;
    current.setRangeText(`${sign}${value.slice(from, to)}${sign}`, from, to, 'end');
    if (from === to) current.setSelectionRange(from + 1, from + 1);
    textChanged();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (suggestions.onKeyDown(event)) return;
    const sign = event.ctrlKey || event.metaKey ? MARKS[event.key] : undefined;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      form.current?.requestSubmit();
    } else if (event.key === 'ArrowUp' && event.currentTarget.value === '') {
      if (form.current && editLast(form.current, threadTs)) event.preventDefault();
    } else if (sign !== undefined) {
      event.preventDefault();
      mark(sign);
    }
  };

  const isReady = files.length > 0 || text.trim() !== '';
  return (
    <form
      ref={form}
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {suggestions.shown}
      <div className="composer-box">
        <textarea
          ref={area}
          id={id}
          rows={1}
          placeholder={placeholder}
          aria-label={label}
          {...suggestions.aria}
          autoComplete="off"
          spellCheck
          defaultValue={begun}
          onInput={textChanged}
          onBlur={suggestions.close}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            add(pasted);
          }}
        />
        <ul className="tray" aria-label="Files to send" hidden={files.length === 0}>
          {files.map((file, at) => (
            <li key={at}>
              <FileIcon size={18} aria-hidden />
              <span>{file.name}</span>
              <NativeIconButton
                label={`Remove ${file.name}`}
                onClick={() => setFiles(files.filter((other) => other !== file))}
              >
                <X size={18} aria-hidden />
              </NativeIconButton>
            </li>
          ))}
        </ul>
        <div className="composer-tools">
          <Tool icon={Paperclip} label="Add files" onPress={() => picker.current?.click()} />
          <Tool
            icon={AtSign}
            label="Mention someone"
            onPress={() => insert(/(^|\s)$/.test(textBefore(area.current)) ? '@' : ' @')}
          />
          <EmojiButton label="Emoji" placement="bottom start" onTake={(name) => insert(`:${name}: `)}>
            <Smile size={18} aria-hidden />
          </EmojiButton>
          {threadTs === undefined ? (
            <MenuButton
              label="Shortcuts and commands"
              sign={<Zap size={18} aria-hidden />}
              placement="bottom start"
              entries={() => shortcutEntries(fill)}
            />
          ) : (
            <label className="broadcast">
              <input ref={also} type="checkbox" />
              <span>Also send to the channel</span>
            </label>
          )}
          <span className="spring" />
          <button
            type="submit"
            className={classNames('send', isReady && 'ready')}
            aria-label="Send"
            title="Send (Enter)"
          >
            <SendHorizontal size={18} aria-hidden />
          </button>
        </div>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          tabIndex={-1}
          aria-hidden="true"
          onChange={({ currentTarget }) => {
            add([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
      </div>
    </form>
  );
}

const MARKS: Partial<Record<string, string>> = { b: '*', i: '_', e: '`' };

const textBefore = (area: HTMLTextAreaElement | null) => area?.value.slice(0, area.selectionStart) ?? '';

function Tool({ icon: Icon, label, onPress }: { icon: LucideIcon; label: string; onPress: () => void }) {
  return (
    <NativeIconButton label={label} onClick={onPress}>
      <Icon size={18} aria-hidden />
    </NativeIconButton>
  );
}

/** The global shortcuts and commands of apps. */
function shortcutEntries(fillIn: (text: string) => void): MenuEntry[] {
  const own = store.shortcuts.filter(({ on }) => on === 'global');
  const entries: MenuEntry[] = [
    ...own.map(({ callbackId, name }) => ({
      id: callbackId,
      label: name,
      sign: <Zap size={18} aria-hidden />,
      detail: store.apps[0]?.name,
      onAction: () => void attemptWithApp(api.shortcut({ user: store.me, callbackId })),
    })),
    ...store.commands.map(({ command, hint }, index) => ({
      id: command,
      label: command,
      sign: <Slash size={18} aria-hidden />,
      detail: hint,
      isApart: index === 0 && own.length > 0,
      // The menu gives the focus back first.
      onAction: () => void requestAnimationFrame(() => fillIn(`${command} `)),
    })),
  ];
  return entries.length > 0 ? entries : [{ id: 'none', label: 'No app offers any here' }];
}

async function say(
  text: string,
  files: File[],
  { channel, threadTs, broadcast }: { channel: string; threadTs: string | undefined; broadcast: boolean },
): Promise<unknown> {
  const place = { channel, user: store.me };
  const thread = threadTs ? { thread_ts: threadTs } : {};
  if (files.length > 0) return sendFiles(files, { ...place, ...thread, text });
  const command = /^(\/[a-z0-9_-]+)(?:\s+([\s\S]*))?$/i.exec(text);
  if (!command?.[1])
    return api.send({ ...place, text, ...thread, ...(threadTs && broadcast ? { broadcast: true } : {}) });
  if (threadTs)
    throw new Error('Slash commands cannot be typed in threads, as in Slack: type it in the channel.');
  return api.command({ ...place, command: command[1], text: command[2] ?? '' });
}

/** Puts a text into the channel's composer, ready to be sent. */
export function prefill(text: string): void {
  shown.get(CHANNEL_COMPOSER)?.fill(text);
}

/** Gives the channel's composer the focus, if there is one. */
export function focusComposer(): void {
  document.getElementById(CHANNEL_COMPOSER)?.focus();
}

/** Files dropped on a column go to its composer. Returns what the column needs for that. */
export function useDrops(composerId: string) {
  const [isDropping, setDropping] = useState(false);
  const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  return {
    isDropping,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!holdsFiles(event) || !shown.has(composerId)) return;
        event.preventDefault();
        setDropping(true);
      },
      onDragLeave: ({ relatedTarget, currentTarget }: DragEvent) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDropping(false);
      },
      onDrop: (event: DragEvent) => {
        setDropping(false);
        const composer = shown.get(composerId);
        if (!holdsFiles(event) || !composer) return;
        event.preventDefault();
        composer.add([...event.dataTransfer.files]);
      },
    },
  };
}
