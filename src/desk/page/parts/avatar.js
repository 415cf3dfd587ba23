import { html } from '../lit.js';
import { change } from '../state.js';
import { fullName } from '../words.js';

/** Pictures that could not be read. */
const broken = new Set();
const HUES = 6;

const initials = (person) =>
  fullName(person)
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

/** Always the same for one person. */
const hueOf = ({ id = '' }) => [...id].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % HUES;

/** A person's picture, or their initials; their name stands next to it. */
export function avatar(person, size = 'small') {
  const { picture } = person ?? {};
  const isBroken = () => {
    broken.add(picture);
    change();
  };
  return html`<span class="avatar" data-size=${size} data-hue=${hueOf(person ?? {})} aria-hidden="true"
    >${picture && !broken.has(picture) ? html`<img src=${picture} alt="" @error=${isBroken} />` : initials(person)}</span
  >`;
}
