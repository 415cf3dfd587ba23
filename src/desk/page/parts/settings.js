import { html, nothing } from '../lit.js';
import { listAddress, settingsAddress } from '../route.js';
import { state } from '../state.js';
import { groups, sectionOf } from './settings/sections.js';

export function settingsNavigation() {
  const open = sectionOf(state.route.section);
  return html`
    <nav class="sidebar sections" aria-label="Settings">
      <a class="back quiet" href=${listAddress(state.filters)}>← Tickets</a>
      ${groups().map(
        ([heading, sections]) =>
          html`<p class="group dim">${heading}</p>
            <ul>
              ${sections.map(
                (section) =>
                  html`<li>
                    <a
                      href=${settingsAddress(section.key)}
                      aria-current=${section === open ? 'page' : nothing}
                    >
                      ${section.title}
                    </a>
                  </li>`,
              )}
            </ul>`,
      )}
    </nav>
  `;
}

export function settingsPage() {
  const section = sectionOf(state.route.section);
  const kept = state.settings[section.key];
  return html`
    <h1 tabindex="-1">${section.title}</h1>
    <div class="settings">
      ${kept ? section.render(kept) : html`<p class="dim" aria-busy="true">Reading the settings…</p>`}
    </div>
  `;
}
