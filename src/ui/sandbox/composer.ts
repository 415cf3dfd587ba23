import { api } from './api.ts';
import { attemptWithApp } from './attempt.ts';
import { type Child, h } from './dom.ts';
import { editLast } from './edit-last.ts';
import { icon, type IconName } from './icons.ts';
import { notifyError } from './notice.ts';
import { openEmojiPicker } from './parts/emoji-picker.ts';
import { menuButton, type MenuItem } from './parts/menu.ts';
import { store } from './store.ts';
import { suggest } from './suggest.ts';
import { sendFiles } from './upload.ts';

/** Unsent drafts by place and person, so that they survive navigation. */
const drafts = new Map<string, { text: string; files: File[] }>();
/** Adds files to a composer. */
const adders = new WeakMap<HTMLElement, (files: File[]) => void>();

interface Composer {
  id: string;
  label: string;
  placeholder: string;
  channel: string;
  threadTs?: string;
}

/** The composer: Enter sends, Shift+Enter adds a line, `/…` is a command; `@`, `#`, `:` and `/` suggest. */
export function composer({ id, label, placeholder, channel, threadTs }: Composer): HTMLFormElement {
  const draft = `${store.me} ${channel} ${threadTs ?? ''}`;
  const area = h('textarea', {
    id,
    rows: '1',
    placeholder,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'true',
    value: drafts.get(draft)?.text ?? '',
    data: { key: id },
  });
  let files = drafts.get(draft)?.files ?? [];
  const tray = h('ul.tray', { 'aria-label': 'Files to send' });
  const also = h('input', { type: 'checkbox' });
  const picker = h('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    tabindex: '-1',
    'aria-hidden': 'true',
    onchange: () => {
      add([...(picker.files ?? [])]);
      picker.value = '';
    },
  });
  const send = h(
    'button.send',
    { type: 'submit', 'aria-label': 'Send', title: 'Send (Enter)' },
    icon('send'),
  );
  const insert = (text: string) => {
    area.focus();
    area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
    area.dispatchEvent(new Event('input'));
  };
  const form = h(
    'form.composer',
    { onsubmit: (event) => submit(event) },
    h(
      'div.composer-box',
      area,
      tray,
      h(
        'div.composer-tools',
        tool('clip', 'Add files', () => picker.click()),
        tool('at', 'Mention someone', () => insert(/(^|\s)$/.test(before(area)) ? '@' : ' @')),
        tool('smile', 'Emoji', (event) =>
          openEmojiPicker(event.currentTarget, (name) => insert(`:${name}: `), { end: false }),
        ),
        !threadTs && shortcuts((text) => fill(area, text)),
        threadTs && h('label.broadcast', also, h('span', 'Also send to the channel')),
        h('span.spring'),
        send,
      ),
      picker,
    ),
  );
  const grow = () => {
    area.style.height = 'auto';
    if (area.scrollHeight > 0) area.style.height = `${Math.min(area.scrollHeight, 220)}px`;
    send.classList.toggle('ready', area.value.trim() !== '' || files.length > 0);
    drafts.set(draft, { text: area.value, files });
  };
  const add = (more: File[]) => {
    files = [...files, ...more];
    drawTray();
    area.focus();
  };
  const drawTray = () => {
    tray.hidden = files.length === 0;
    tray.replaceChildren(
      ...files.map((file) =>
        h(
          'li',
          icon('file'),
          h('span', file.name),
          h(
            'button.icon-button',
            {
              'aria-label': `Remove ${file.name}`,
              onclick: () => {
                files = files.filter((other) => other !== file);
                drawTray();
              },
            },
            icon('close'),
          ),
        ),
      ),
    );
    grow();
  };

  area.addEventListener('input', grow);
  suggest(area, form);
  area.addEventListener('keydown', (event) => keys(event, area, form, threadTs));
  area.addEventListener('paste', (event) => {
    const { files: pasted } = event.clipboardData ?? { files: [] };
    if (pasted.length === 0) return;
    event.preventDefault();
    add([...pasted]);
  });
  adders.set(form, add);
  requestAnimationFrame(drawTray);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const text = area.value.trim();
    if (text === '' && files.length === 0) return;
    const sending = files;
    area.value = '';
    files = [];
    drawTray();
    try {
      await say(text, sending, { channel, threadTs, broadcast: also.checked });
      also.checked = false;
    } catch (error) {
      // The typed text is restored after an error.
      if (area.value === '') area.value = text;
      files = sending;
      drawTray();
      notifyError(error);
    }
  }
  return form;
}

const before = (area: HTMLTextAreaElement) => area.value.slice(0, area.selectionStart);

function tool(
  name: IconName,
  label: string,
  onclick: (event: { currentTarget: HTMLElement }) => void,
): HTMLElement {
  return h('button.icon-button', { title: label, 'aria-label': label, onclick }, icon(name));
}

/** What apps offer here: global shortcuts, and commands with their arguments. */
function shortcuts(fillIn: (text: string) => void): Child {
  return menuButton({
    label: 'Shortcuts and commands',
    sign: icon('bolt'),
    end: false,
    items: () => {
      const own = store.shortcuts.filter(({ on }) => on === 'global');
      const items: MenuItem[] = [
        ...own.map(({ callbackId, name }) => ({
          label: name,
          sign: icon('bolt'),
          hint: store.apps[0]?.name,
          act: () => attemptWithApp(api.shortcut({ user: store.me, callbackId })),
        })),
        ...(own.length > 0 && store.commands.length > 0 ? ['line' as const] : []),
        ...store.commands.map(({ command, hint }) => ({
          label: command,
          sign: '/',
          hint,
          act: () => fillIn(`${command} `),
        })),
      ];
      return items.length > 0 ? items : [{ label: 'No app offers any here', act: () => undefined }];
    },
  });
}

function keys(
  event: KeyboardEvent,
  area: HTMLTextAreaElement,
  form: HTMLFormElement,
  threadTs: string | undefined,
): void {
  if (event.defaultPrevented) return;
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    form.requestSubmit();
  } else if (event.key === 'ArrowUp' && area.value === '') {
    if (editLast(form, threadTs)) event.preventDefault();
    return;
  }
  const mark = event.ctrlKey || event.metaKey ? MARKS[event.key] : undefined;
  if (mark !== undefined) {
    event.preventDefault();
    const { selectionStart: from, selectionEnd: to, value } = area;
    area.setRangeText(`${mark}${value.slice(from, to)}${mark}`, from, to, 'end');
    if (from === to) area.setSelectionRange(from + 1, from + 1);
    area.dispatchEvent(new Event('input'));
  }
}

const MARKS: Partial<Record<string, string>> = { b: '*', i: '_', e: '`' };

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

function fill(area: HTMLTextAreaElement, text: string): void {
  area.value = text;
  area.focus();
  area.dispatchEvent(new Event('input'));
}

/** Puts a text into the channel's composer, ready to be sent. */
export function prefill(text: string): void {
  const area = document.getElementById('composer-channel');
  if (area instanceof HTMLTextAreaElement) fill(area, text);
}

/** Files dropped on a column go to its composer. */
export function takeDrops(column: HTMLElement): void {
  const filesOf = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.includes('Files') ? dataTransfer.files : undefined;
  column.addEventListener('dragover', (event) => {
    if (!filesOf(event) || !column.querySelector('.composer')) return;
    event.preventDefault();
    column.classList.add('dropping');
  });
  column.addEventListener('dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node && column.contains(event.relatedTarget)))
      column.classList.remove('dropping');
  });
  column.addEventListener('drop', (event) => {
    column.classList.remove('dropping');
    const form = column.querySelector<HTMLElement>('.composer');
    const files = filesOf(event);
    if (!files || !form) return;
    event.preventDefault();
    adders.get(form)?.([...files]);
  });
}
