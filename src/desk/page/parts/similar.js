import { html, nothing } from '../lit.js';
import { ticketAddress } from '../route.js';
import { isSolved } from '../similar.js';
import { state } from '../state.js';
import { groupOf, nameOf } from '../words.js';

/** Similar tickets for a place of the page. */
export function similar(place, heading) {
  const items = state.similar.place === place ? state.similar.items : [];
  if (items.length === 0) return nothing;
  return html`<section class="similar" aria-label=${heading}>
    <h2>${heading}</h2>
    <ul>
      ${items.map(
        (ticket) =>
          html`<li>
            <span class="first">
              <span class="code">${ticket.code}</span>
              <span class="status" data-group=${groupOf(ticket.status)}>${ticket.status.label}</span>
            </span>
            <a href=${ticketAddress(ticket.code)}>${ticket.title || 'Untitled'}</a>
            ${ticket.assigneeId ? html`<span class="dim">${isSolved(ticket) ? 'solved by' : 'with'} ${nameOf(ticket.assigneeId)}</span>` : nothing}
          </li>`,
      )}
    </ul>
  </section>`;
}
