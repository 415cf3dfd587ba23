import { call, path, Refusal } from './api.js';
import { loadRequestTypes } from './load-request-types.js';
import {
  draftOf,
  edit,
  edited,
  editQuestion,
  fieldBody,
  known,
  requestTypeBody,
  versionOf,
} from './request-type.js';

const isMissing = (error) => error instanceof Refusal && [404, 405].includes(error.status);

/**
 * Saves the draft: first its questions, each as a custom field of the workspace, then the request type. After
 * a failure the draft stays, and what was created is not created again. Resolves to the saved record and the
 * part of the draft that it contains: the user may have typed more meanwhile.
 */
export async function saveRequestType() {
  await loadRequestTypes();
  const { draft } = edited();
  const before = known().items.find(({ id }) => id === draft.id);
  if (draft.id && !before)
    throw new Refusal(404, 'Another user removed this request type. Your input is still here.');
  if (before && versionOf(before) !== draft.version) {
    edit({ version: versionOf(before) });
    throw new Refusal(
      409,
      'Another user changed this request type. Save again to overwrite their changes, or discard yours to see theirs.',
    );
  }
  const questions = [];
  for (const question of draft.questions)
    questions.push({ ...question, ...(await saveQuestion(question, draft)) });
  const sent = { ...draft, questions };
  const body = requestTypeBody(sent);
  const record = await call(
    'POST',
    path('request-types'),
    changed(body, { before, workspaceId: draft.workspaceId }),
  );
  if (body.customFields.some(({ customFieldId }) => !asked(record).includes(customFieldId)))
    throw new Refusal(0, 'The service saved everything except the questions: they can’t be set here.');
  await loadRequestTypes();
  return { record, sent };
}

const asked = ({ customFields }) => customFields.map(({ customFieldId }) => customFieldId);

/** Only the changed fields: a service that only knows the published fields gets no others. */
function changed(body, { before, workspaceId }) {
  const was = before ? requestTypeBody(draftOf(before)) : { customFields: [], tags: [] };
  const differs = ([key, value]) => JSON.stringify(value ?? null) !== JSON.stringify(was[key] ?? null);
  return {
    ...Object.fromEntries(Object.entries(body).filter(differs)),
    ...(before ? { id: before.id } : { workspaceId }),
    name: body.name,
  };
}

/** Resolves to the identifiers of the saved question. */
async function saveQuestion(question, { workspaceId }) {
  const body = fieldBody(question);
  if (JSON.stringify(body) === question.saved) return {};
  try {
    const field = question.customFieldId
      ? await call('PUT', path('custom-fields', question.customFieldId), body)
      : await createField({ ...body, type: question.type, workspaceId });
    const as = { customFieldId: field.id, key: field.key, saved: JSON.stringify(body) };
    editQuestion(question.id, as);
    return as;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const why = isMissing(error) ? 'This service’s questions can’t be changed here.' : error.message;
    throw new Refusal(error.status, `“${body.label || 'A question without words'}”: ${why}`);
  }
}

/**
 * If the response to an earlier attempt was lost, finds the created field by its key, which no request type
 * uses yet.
 */
async function createField(body) {
  const { items } = await call('GET', `${path('custom-fields')}?limit=1000`);
  const fields = items.filter(({ workspaceId }) => !body.workspaceId || workspaceId === body.workspaceId);
  const isFree = (key) => !fields.some((field) => field.key === key);
  const first = keyFrom(body.label);
  const arrived = fields.find(
    ({ key, type, label, _count }) =>
      key === first && type === body.type && label === body.label && _count?.requestTypeCustomField === 0,
  );
  if (arrived) return call('PUT', path('custom-fields', arrived.id), body);
  let key = first;
  for (let number = 2; !isFree(key); number++) key = `${first}_${number}`;
  return call('POST', path('custom-fields'), { ...body, key });
}

/** The key of the answer in the API: "Cost centre (EU)" is `cost_centre_eu`. */
function keyFrom(label) {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const key = words.join('_').slice(0, 90);
  return /^[a-z]/.test(key) ? key : `field_${key}`.replace(/_$/, '');
}
