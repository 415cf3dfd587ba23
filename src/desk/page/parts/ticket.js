import { html, nothing } from '../lit.js';
import { worksOn } from '../may.js';
import { listAddress } from '../route.js';
import { state } from '../state.js';
import { ago, groupOf, moment, nameOf } from '../words.js';
import { composers } from './composers.js';
import { conversation } from './conversation.js';
import { beginEdit, editTicket, edited } from './edit-ticket.js';
import { facts, readFacts } from './facts.js';
import { similar } from './similar.js';

/** The open ticket: its title, conversation, composers and fields. */
export function ticketPage() {
  const { record, error } = state.ticket;
  const back = html`<a class="back quiet" href=${listAddress(state.filters)}>← Tickets</a>`;
  if (error)
    return html`${back}
      <h1 tabindex="-1">${state.route.code}</h1>
      <p class="refusal">${error}</p>`;
  if (!record)
    return html`${back}
      <h1 tabindex="-1">${state.route.code}</h1>
      <p class="dim" aria-busy="true">Reading the ticket…</p>`;
  const draft = edited();
  return html`
    <article class="ticket">
      <header>
        ${back}
        <p class="first">
          <span class="code">${record.code}</span>
          <span class="status" data-group=${groupOf(record.status)}>${record.status.label}</span>
          ${record.private ? html`<span class="chip">Private</span>` : nothing}
          ${record.archivedAt ? html`<span class="chip">Archived</span>` : nothing}
        </p>
        <div class="titled">
          <h1 tabindex="-1">${record.title || 'Untitled'}</h1>
          ${draft || !worksOn(record) ? nothing : html`<button class="quiet" aria-label="Edit title and description" @click=${beginEdit}>Edit</button>`}
        </div>
        <p class="dim">
          Asked by ${nameOf(record.requesterId) || 'nobody'},
          <time datetime=${record.createdAt} title=${moment(record.createdAt)}>${ago(record.createdAt)}</time>
        </p>
      </header>
      <div class="talk">
        ${draft ? editTicket(draft) : nothing} ${conversation(draft)} ${composers()}
        ${similar(record.id, 'Similar tickets')}
      </div>
      <aside class="facts" aria-label="About this ticket">
        ${worksOn(record) ? facts(record) : readFacts(record)}
      </aside>
    </article>
  `;
}
