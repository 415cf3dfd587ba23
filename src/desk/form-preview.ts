import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import {
  FORM_WINDOW,
  formKind,
  type FormPart,
  formParts,
  formShape,
  isTooLong,
  offeredForms,
  statusesFor,
} from '../contract/index.ts';
import { sendProblem } from '../platform/http/index.ts';
import { malformed, SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

const named = z.object({ id: z.string(), name: z.string() });

/** The edited request type, and the workspace's other request types. */
const draft = z.object({
  form: formShape,
  /** As `GET /forms` lists them. */
  kinds: z.array(formKind.extend({ type: z.string(), published: z.boolean() })),
  /** The answers in the preview, by field id. */
  answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  /** In their order. */
  statuses: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      requestTypes: z.array(z.object({ requestTypeId: z.string() })),
    }),
  ),
  tags: z.array(named),
});
type Draft = z.output<typeof draft>;

/**
 * `POST /desk/form-preview`: the form that Slack will show for an unsaved request type, from the body alone. It reads
 * nothing from the service but whether the session holds, so the page can request it on every key stroke.
 */
export function serveFormPreview(server: FastifyInstance, sessions: Sessions): void {
  server.post('/form-preview', async (request, reply) => {
    if (!(await sessions.check(request))) return sendProblem(reply, SIGNED_OUT);
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
