import { html, nothing, repeat, unsafeHTML } from '../lit.js';
import { state } from '../state.js';
import { ago, fullName, moment, nameOf } from '../words.js';

/**
 * The description, unless it is being edited, then every message in order. Internal notes are indented and have their
 * own colour.
 */
export function conversation(isEdited) {
  const { record, messages, earlier } = state.ticket;
  return html`
    <h2 class="only-read">Conversation</h2>
    ${record.html && !isEdited ? html`<div class="request text">${unsafeHTML(record.html)}</div>` : nothing}
    ${earlier ? html`<p class="dim">Earlier messages are not shown here.</p>` : nothing}
    ${messages.length === 0 ? html`<p class="dim">No replies yet.</p>` : nothing}
    <ol class="messages">
      ${repeat(messages, ({ id }) => id, message)}
    </ol>
  `;
}

function message(each) {
  const { author, authorId, createdAt, deleted, status, reactions } = each;
  const name = author ? fullName(author) : nameOf(authorId) || 'A user';
  const isAsker = authorId !== null && authorId === state.ticket.record.requesterId;
  return html`
    <li class="message" data-kind=${each.private ? 'note' : isAsker ? 'asked' : 'answered'}>
      <header>
        <strong>${name}</strong>
        ${each.private ? html`<span class="chip">Internal note</span>` : nothing}
        ${each.chatMessages.length > 0 ? html`<span class="dim">${each.private ? 'in the team’s channel' : 'in chat'}</span>` : nothing}
        ${status === 'EDITED' ? html`<span class="dim">edited</span>` : nothing}
        <time datetime=${createdAt} title=${moment(createdAt)}>${ago(createdAt)}</time>
      </header>
      ${
        deleted
          ? html`<p class="dim">This message was deleted.</p>`
          : // The desk renders the Markdown to HTML, with every text escaped.
            html`<div class="text">${unsafeHTML(each.html)}</div>`
      }
      ${
        reactions.length > 0
          ? html`<p class="reactions">
              ${reactions.map(({ sign, authorId: by }) => html`<span class="chip" title=${nameOf(by)}>${sign}</span>`)}
            </p>`
          : nothing
      }
    </li>
  `;
}
