import { api } from './api.js';
import { h, safeUrl } from './dom.js';
import { mrkdwn } from './inline.js';
import { markdown } from './markdown.js';
import { notify } from './notice.js';
import { richText } from './rich-text.js';
import { store } from './store.js';
import { emojiOf } from './emoji.js';

/** Draws a message's blocks; a kind that is not drawn says so instead of vanishing. */
export function drawBlocks(message) {
  return message.blocks.map((block) => draw(block, message));
}

function draw(block, message) {
  switch (block.type) {
    case 'rich_text':
      return richText(block);
    case 'markdown':
      return markdown(block.text ?? '');
    case 'section':
      return section(block, message);
    case 'header':
      return h('h3', { class: 'block-header' }, textObject(block.text));
    case 'divider':
      return h('hr', { class: 'block-divider' });
    case 'context':
      return h('div', { class: 'block-context' }, (block.elements ?? []).map(contextElement));
    case 'actions':
      return h(
        'div',
        { class: 'block-actions' },
        (block.elements ?? []).map((element) => control(element, block, message)),
      );
    case 'image':
      return h(
        'figure',
        { class: 'block-image' },
        picture(block),
        block.title && h('figcaption', {}, textObject(block.title)),
      );
    default:
      return h('p', { class: 'block-unknown' }, `A block of the kind “${block.type}” (not drawn here)`);
  }
}

function section(block, message) {
  return h(
    'div',
    { class: 'block-section' },
    h(
      'div',
      { class: 'block-section-main' },
      block.text && h('div', {}, textObject(block.text)),
      block.fields &&
        h(
          'div',
          { class: 'block-fields' },
          block.fields.map((field) => h('div', {}, textObject(field))),
        ),
    ),
    block.accessory &&
      h(
        'div',
        { class: 'block-accessory' },
        block.accessory.type === 'image'
          ? picture(block.accessory)
          : control(block.accessory, block, message),
      ),
  );
}

export function textObject(text) {
  if (!text) return '';
  if (text.type === 'mrkdwn') return mrkdwn(text.text ?? '');
  return h(
    'span',
    { class: 'lines' },
    (text.text ?? '').replace(/:([a-z0-9_+-]+):/g, (_whole, name) => emojiOf(name)),
  );
}

function contextElement(element) {
  return element.type === 'image' ? picture(element) : h('span', {}, textObject(element));
}

function picture(element) {
  const url = safeUrl(element.image_url);
  return url
    ? h('img', { src: url, alt: element.alt_text ?? '', loading: 'lazy' })
    : (element.alt_text ?? '');
}

function control(element, block, message) {
  const act = (value) => press(message, block, element, value);
  switch (element.type) {
    case 'button':
    case 'icon_button':
      return button(element, act);
    case 'static_select':
    case 'overflow':
      return select(element, act);
    case 'users_select':
      return choices(
        element,
        act,
        store.people.map(({ id, name }) => ({ value: id, label: `@${name}` })),
      );
    case 'channels_select':
    case 'conversations_select':
      return choices(
        element,
        act,
        store.channels.filter(({ name }) => name).map(({ id, name }) => ({ value: id, label: `#${name}` })),
      );
    case 'datepicker':
      return h('input', {
        type: 'date',
        class: 'block-date',
        value: element.initial_date ?? '',
        'aria-label': labelOf(element),
        onchange: (event) => act(event.target.value),
      });
    case 'image':
      return picture(element);
    default:
      return h('span', { class: 'block-unknown' }, `[${element.type}]`);
  }
}

function button(element, act) {
  const url = safeUrl(element.url);
  return h(
    'button',
    {
      type: 'button',
      class: `block-button ${element.style ?? ''}`,
      'data-key': element.action_id,
      'aria-label': element.accessibility_label,
      onclick: () => {
        if (url) window.open(url, '_blank', 'noreferrer,noopener');
        act();
      },
    },
    textObject(element.text),
    url && h('span', { 'aria-hidden': 'true', class: 'block-out' }, '↗'),
  );
}

function select(element, act) {
  const option = ({ text, value }) => ({ value, label: text?.text ?? value });
  const groups = element.option_groups?.map(({ label, options }) => ({
    label: label?.text,
    options: options.map(option),
  }));
  return choices(element, act, groups ? [] : (element.options ?? []).map(option), groups);
}

function choices(element, act, options, groups = []) {
  const initial = element.initial_option?.value ?? element.initial_user ?? element.initial_channel ?? '';
  const drawn = ({ value, label }) => h('option', { value, selected: value === initial }, label);
  return h(
    'select',
    {
      class: 'block-select',
      'data-key': element.action_id,
      'aria-label': labelOf(element),
      onchange: (event) => event.target.value && act(event.target.value),
    },
    h(
      'option',
      { value: '', selected: initial === '' },
      element.type === 'overflow' ? '⋯' : labelOf(element),
    ),
    options.map(drawn),
    groups.map(({ label, options: inside }) => h('optgroup', { label }, inside.map(drawn))),
  );
}

function labelOf(element) {
  return element.placeholder?.text ?? 'Choose';
}

async function press(message, block, element, value) {
  try {
    const { outcome } = await api.interact({
      channel: message.channel,
      user: store.me,
      messageTs: message.ts,
      action: {
        actionId: element.action_id,
        blockId: block.block_id,
        ...(value === undefined ? {} : { value }),
      },
    });
    if (outcome.error)
      notify(
        outcome.error === 'dispatch_failed'
          ? 'The app is not connected, so nobody heard the press.'
          : 'The app did not answer the press within 3 seconds.',
      );
  } catch (error) {
    notify(error.message);
  }
}
