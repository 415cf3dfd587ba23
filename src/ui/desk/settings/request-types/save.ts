import { call, Refusal } from '../../api/call.ts';
import { isMissing, refresh } from '../parts/write.ts';
import {
  type Draft,
  draftOf,
  fieldBody,
  type Question,
  type RequestType,
  requestTypeBody,
  versionOf,
} from './draft.ts';
import { readRequestTypes } from './records.ts';

/** Why a draft could not be saved, in the words of the page. */
export interface SaveTexts {
  gone: string;
  changed: string;
  noQuestions: string;
  unnamed: string;
  question: (name: string, reason: string) => string;
  cannotChange: string;
}

const ALL = { query: { limit: 1000 } };

/**
 * Saves a draft: first its questions, each as a custom field of the workspace, then the request type. `put` gets what
 * the draft has to know after a failure, so that nothing is created twice. Resolves to the saved record and the part of
 * the draft that it contains: the person may have typed more meanwhile. Throws Refusal.
 */
export async function saveDraft(
  draft: Draft,
  texts: SaveTexts,
  put: { version: (version: string) => void; question: (id: string, part: Partial<Question>) => void },
): Promise<{ record: RequestType; sent: Draft }> {
  const before = (await readRequestTypes()).items.find(({ id }) => id === draft.id);
  if (draft.id && !before) throw new Refusal(404, texts.gone);
  if (before && versionOf(before) !== draft.version) {
    put.version(versionOf(before));
    throw new Refusal(409, texts.changed);
  }
  const questions: Question[] = [];
  for (const question of draft.questions) {
    const part = await saveQuestion(question, draft, texts);
    put.question(question.id, part);
    questions.push({ ...question, ...part });
  }
  const sent = { ...draft, questions };
  const body = requestTypeBody(sent);
  const record = await call('saveRequestType', { body: changesOf(body, before, draft.workspaceId) });
  await refresh(['listRequestTypes', 'listForms', 'listCustomFields']);
  const taken = record.customFields.map(({ customFieldId }) => customFieldId);
  if (body.customFields?.some(({ customFieldId }) => !taken.includes(customFieldId)))
    throw new Refusal(0, texts.noQuestions);
  return { record: record, sent };
}

type Body = ReturnType<typeof requestTypeBody>;

/** Only the changed fields: a service that only knows the published fields gets no others. */
function changesOf(body: Body, before: RequestType | undefined, workspaceId: string | null): Body {
  const was: Partial<Body> = before ? requestTypeBody(draftOf(before)) : { customFields: [], tags: [] };
  const changed = Object.entries(body).filter(
    ([key, value]) => JSON.stringify(value ?? null) !== JSON.stringify(was[key as keyof Body] ?? null),
  );
  return {
    ...Object.fromEntries(changed),
    ...(before ? { id: before.id } : workspaceId && { workspaceId }),
    name: body.name,
  };
}

/** Resolves to the identifiers of the saved question. */
async function saveQuestion(
  question: Question,
  { workspaceId }: Draft,
  texts: SaveTexts,
): Promise<Partial<Question>> {
  const body = fieldBody(question);
  if (JSON.stringify(body) === question.saved) return {};
  const label = body.label ?? '';
  try {
    const { id, key } = question.customFieldId
      ? await call('updateCustomField', { params: { id: question.customFieldId }, body })
      : await createField({ ...body, label, type: question.type, ...(workspaceId && { workspaceId }) });
    return { customFieldId: id, key, saved: JSON.stringify(body) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message } = error;
    const why = isMissing(error) ? texts.cannotChange : message;
    throw new Refusal(status, texts.question(label || texts.unnamed, why));
  }
}

/** If the answer to an earlier attempt was lost, finds the created field by its key, which no request type uses yet. */
async function createField(
  body: ReturnType<typeof fieldBody> & { label: string; type: Question['type']; workspaceId?: string },
) {
  const { items } = await call('listCustomFields', ALL);
  const fields = items.filter(({ workspaceId }) => !body.workspaceId || workspaceId === body.workspaceId);
  const isFree = (key: string) => !fields.some((field) => field.key === key);
  const first = keyFrom(body.label);
  const arrived = fields.find(
    ({ key, type, label, _count }) =>
      key === first && type === body.type && label === body.label && _count?.requestTypeCustomField === 0,
  );
  if (arrived) return call('updateCustomField', { params: { id: arrived.id }, body });
  let key = first;
  for (let number = 2; !isFree(key); number++) key = `${first}_${number}`;
  return call('createCustomField', { body: { ...body, key } });
}

/** The key of the answer in the API: "Cost centre (EU)" is `cost_centre_eu`. */
function keyFrom(label: string): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const key = words.join('_').slice(0, 90);
  return /^[a-z]/.test(key) ? key : `field_${key}`.replace(/_$/, '');
}
