import { call, Refusal } from './api.js';
import { edit, edited, editQuestion, keepEdited, known, shapeOf } from './request-type.js';
import { state } from './state.js';

/** Milliseconds without a key stroke after which the preview is redrawn. */
const PAUSE_MS = 100;

let pause;
let turn = 0;

/** Draws the preview of the edited form once typing pauses. */
export function drawPreview() {
  clearTimeout(pause);
  pause = setTimeout(() => void ask(), PAUSE_MS);
}

/** Of two concurrent previews, the later one wins. */
async function ask() {
  if (!edited() || edited().draft.type === 'collection') return;
  const mine = ++turn;
  const { draft, answers } = edited();
  const isOfDraft = ({ workspaceId }) => !draft.workspaceId || workspaceId === draft.workspaceId;
  const show = (part) => mine === turn && edited() && keepEdited(part);
  try {
    const preview = await call('POST', 'form-preview', {
      form: shapeOf(draft),
      kinds: known().forms.map(({ id, name, emoji, parent, type, published }) => ({
        id,
        name,
        emoji,
        parent,
        type,
        published,
      })),
      answers,
      statuses: state.statuses.filter(({ statusGroup }) => isOfDraft(statusGroup)),
      tags: state.tags,
    });
    show({ preview, why: undefined });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    show({ why: error.message });
  }
}

/** Changes the edited request type and the preview. */
export function put(part) {
  edit(part);
  drawPreview();
}

export function putQuestion(id, part) {
  editQuestion(id, part);
  drawPreview();
}

/** Chooses a value in the preview; questions that depend on it appear and disappear. */
export function answer(id, value) {
  keepEdited({ answers: { ...edited().answers, [id]: value } });
  drawPreview();
}
