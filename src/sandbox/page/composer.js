import { api } from './api.js';
import { attemptWithApp } from './attempt.js';
import { h } from './dom.js';
import { editLast } from './edit-last.js';
import { icon } from './icons.js';
import { notify } from './notice.js';
import { openEmojiPicker } from './parts/emoji-picker.js';
import { menuButton } from './parts/menu.js';
import { store } from './store.js';
import { suggest } from './suggest.js';
import { sendFiles } from './upload.js';

/** Unsent drafts by place and person, so that they survive navigation. */
const drafts = new Map();

/** The composer: Enter sends, Shift+Enter adds a line, `/…` is a command; `@`, `#`, `:` and `/` suggest. */
export function composer({ id, label, placeholder, channel, threadTs }) {
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
      add([...picker.files]);
      picker.value = '';
    },
  });
  const send = h(
    'button.send',
    { type: 'submit', 'aria-label': 'Send', title: 'Send (Enter)' },
    icon('send'),
  );
  const insert = (text) => {
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
        !threadTs && shortcuts(channel, (text) => fill(area, text)),
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
  const add = (more) => {
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
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add([...event.clipboardData.files]);
  });
  /** For files dropped on the column around it. */
  form.addFiles = add;
  requestAnimationFrame(drawTray);

  async function submit(event) {
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
      notify(error.message);
    }
  }
  return form;
}

const before = (area) => area.value.slice(0, area.selectionStart);

function tool(name, label, onclick) {
  return h('button.icon-button', { title: label, 'aria-label': label, onclick }, icon(name));
}

/** What apps offer here: global shortcuts, and commands with their arguments. */
function shortcuts(channel, fillIn) {
  return menuButton({
    label: 'Shortcuts and commands',
    sign: 'bolt',
    end: false,
    items: () => {
      const own = store.shortcuts.filter(({ on }) => on === 'global');
      const items = [
        ...own.map(({ callbackId, name }) => ({
          label: name,
          sign: 'bolt',
          hint: store.apps[0]?.name,
          act: () => attemptWithApp(api.shortcut({ user: store.me, callbackId })),
        })),
        own.length > 0 && store.commands.length > 0 && 'line',
        ...store.commands.map(({ command, hint }) => ({
          label: command,
          sign: '/',
          hint,
          act: () => fillIn(`${command} `),
        })),
      ].filter(Boolean);
      return items.length > 0 ? items : [{ label: 'No app offers any here', act: () => undefined }];
    },
  });
}

function keys(event, area, form, threadTs) {
  if (event.defaultPrevented || event.isComposing) return;
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    form.requestSubmit();
  } else if (event.key === 'ArrowUp' && area.value === '') {
    if (editLast(form, threadTs)) event.preventDefault();
  } else if ((event.ctrlKey || event.metaKey) && MARKS[event.key]) {
    event.preventDefault();
    const mark = MARKS[event.key];
    const { selectionStart: from, selectionEnd: to, value } = area;
    area.setRangeText(`${mark}${value.slice(from, to)}${mark}`, from, to, 'end');
    if (from === to) area.setSelectionRange(from + 1, from + 1);
    area.dispatchEvent(new Event('input'));
  }
}

const MARKS = { b: '*', i: '_', e: '`' };

async function say(text, files, { channel, threadTs, broadcast }) {
  const place = { channel, user: store.me };
  const thread = threadTs ? { thread_ts: threadTs } : {};
  if (files.length > 0) return sendFiles(files, { ...place, ...thread, text });
  const command = /^(\/[a-z0-9_-]+)(?:\s+([\s\S]*))?$/i.exec(text);
  if (!command)
    return api.send({ ...place, text, ...thread, ...(threadTs && broadcast ? { broadcast: true } : {}) });
  if (threadTs)
    throw new Error('Slash commands cannot be typed in threads, as in Slack: type it in the channel.');
  return api.command({ ...place, command: command[1], text: command[2] ?? '' });
}

function fill(area, text) {
  area.value = text;
  area.focus();
  area.dispatchEvent(new Event('input'));
}

/** Puts a text into the channel's composer, ready to be sent. */
export function prefill(text) {
  const area = document.getElementById('composer-channel');
  if (area) fill(area, text);
}

/** Files dropped on a column go to its composer. */
export function takeDrops(column) {
  const has = (event) => [...event.dataTransfer.types].includes('Files');
  column.addEventListener('dragover', (event) => {
    if (!has(event) || !column.querySelector('.composer')) return;
    event.preventDefault();
    column.classList.add('dropping');
  });
  column.addEventListener('dragleave', (event) => {
    if (!column.contains(event.relatedTarget)) column.classList.remove('dropping');
  });
  column.addEventListener('drop', (event) => {
    column.classList.remove('dropping');
    const form = column.querySelector('.composer');
    if (!has(event) || !form) return;
    event.preventDefault();
    form.addFiles([...event.dataTransfer.files]);
  });
}
