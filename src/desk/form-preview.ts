import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import {
  FORM_WINDOW,
  formKind,
  type FormPart,
  formParts,
  formShape,
  isTooLong,
  LIMITS,
  offeredForms,
  statusesFor,
} from '../contract/index.ts';
import { sendProblem } from '../platform/http/index.ts';
import { malformed, SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

/** Records of one kind that the page reads for the choices of a form. */
const MOST_CHOICES = 1_000;
/** Longer answers are cut by the form itself. */
const ANSWER_CHARACTERS = 3_000;

const named = z.object({ id: z.string(), name: z.string() });
const answer = z.string().max(ANSWER_CHARACTERS);
const field = formShape.shape.customFields.element;
const { customField } = field.shape;

/** The edited request type, and the workspace's other request types: no more than a stored one can have. */
const draft = z.object({
  form: formShape.extend({
    customFields: z
      .array(
        field.extend({
          customField: customField.extend({
            options: customField.shape.options.max(LIMITS.arrayItems),
          }),
        }),
      )
      .max(LIMITS.arrayItems),
  }),
  /** As `GET /forms` lists them. */
  kinds: z.array(formKind.extend({ type: z.string(), published: z.boolean() })).max(MOST_CHOICES),
  /** The answers in the preview, by field id. */
  answers: z
    .record(z.string(), z.union([answer, z.array(answer).max(LIMITS.arrayItems)]))
    .refine((given) => Object.keys(given).length <= LIMITS.objectKeys, 'Too many answers'),
  /** In their order. */
  statuses: z
    .array(
      z.object({
        id: z.string(),
        label: z.string(),
        requestTypes: z.array(z.object({ requestTypeId: z.string() })).max(MOST_CHOICES),
      }),
    )
    .max(MOST_CHOICES),
  tags: z.array(named).max(MOST_CHOICES),
});
type Draft = z.output<typeof draft>;

const NOT_ADMIN = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Only admins edit request types, so only they see a preview.',
};

/**
 * `POST /desk/form-preview`: the form that Slack will show for an unsaved request type, from the body alone. It reads
 * nothing from the service but whose session it is, so the page can request it on every key stroke. Only who may save
 * request types has one to preview.
 */
export function serveFormPreview(server: FastifyInstance, sessions: Sessions): void {
  server.post('/form-preview', async (request, reply) => {
    const session = await sessions.check(request);
    if (!session) return sendProblem(reply, SIGNED_OUT);
    if (session.role !== null && session.role !== 'admin') return sendProblem(reply, NOT_ADMIN);
    const { data, error } = draft.safeParse(request.body);
    return data ? previewOf(data) : sendProblem(reply, malformed(error));
  });
}

/** The parts of the form; a question has the id of its field. */
function previewOf({ form, kinds, answers, statuses, tags }: Draft): unknown {
  const others = kinds.filter(({ id }) => id !== form.id);
  const parts = formParts({
    kinds: offeredForms([...others, { ...form, type: 'request-type', published: true }]),
    chosen: form,
    answers: ({ id }) => answers[id],
    menus: {
      statuses: statusesFor(form.id, statuses),
      tags: tags
        .map(({ id, name }) => ({ id, label: name }))
        .toSorted((a, b) => a.label.localeCompare(b.label)),
    },
  });
  return { window: FORM_WINDOW, isTooLong: isTooLong(form), parts: parts.map(withId) };
}

const withId = (part: FormPart) =>
  part.kind === 'question'
    ? { ...part, asks: typeof part.asks === 'string' ? part.asks : part.asks.id }
    : part;
