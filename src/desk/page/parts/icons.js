import { html, svg } from '../lit.js';

/** Drawings of 20 × 20, in the colour of the text around them. */
const SHAPES = {
  key: svg`<circle cx="7" cy="13" r="3.5" /><path d="m9.5 10.5 6-6M13 7l2.5 2.5" />`,
  laptop: svg`<rect x="4" y="4.5" width="12" height="8.5" rx="1.5" /><path d="M2.5 16h15" />`,
  phone: svg`<rect x="6" y="2.5" width="8" height="15" rx="2" /><path d="M9 15h2" />`,
  program: svg`<rect x="3" y="4" width="14" height="12" rx="2" /><path d="m6.5 8 2.5 2-2.5 2M11 12.5h2.5" />`,
  check: svg`<path d="m4.5 10.5 3.5 3.5 7.5-8" />`,
};

/** The sign of the desk (icon.svg), drawn at once. */
export const logo = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="8" fill="#0f766e" />
  <path d="M8 10h16a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7l-5 4v-4H8a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z" fill="#fff" />
</svg>`;

/** Slack's own sign keeps its colours. */
const SLACK = svg`
  <g stroke="none">
    <path fill="#e01e5a" d="M5.2 12.6a1.7 1.7 0 1 1-1.7-1.7h1.7zm.9 0a1.7 1.7 0 0 1 3.4 0v4.2a1.7 1.7 0 1 1-3.4 0z" />
    <path fill="#36c5f0" d="M7.8 5.2a1.7 1.7 0 1 1 1.7-1.7v1.7zm0 .9a1.7 1.7 0 0 1 0 3.4H3.5a1.7 1.7 0 1 1 0-3.4z" />
    <path fill="#2eb67d" d="M14.8 7.8a1.7 1.7 0 1 1 1.7 1.7h-1.7zm-.9 0a1.7 1.7 0 0 1-3.4 0V3.5a1.7 1.7 0 1 1 3.4 0z" />
    <path fill="#ecb22e" d="M12.2 14.8a1.7 1.7 0 1 1-1.7 1.7v-1.7zm0-.9a1.7 1.7 0 0 1 0-3.4h4.3a1.7 1.7 0 1 1 0 3.4z" />
  </g>`;

/** A sign next to words that say the same. */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    ${name === 'slack' ? SLACK : SHAPES[name]}
  </svg>`;
}
