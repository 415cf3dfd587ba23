import { z } from 'zod';

/** What a modal knows of where it was opened; kept in its `private_metadata`. */
export const ModalContext = z.object({
  ticket: z.string(),
  /** Where whoever submits it is told what did not work. */
  channel: z.string(),
  thread: z.string().optional(),
  /** What submitting it does, where it has no fields. */
  act: z.enum(['close', 'reopen']).optional(),
});
export type ModalContext = z.infer<typeof ModalContext>;

/** Undefined for what is not ours. */
export function readContext(metadata: string): ModalContext | undefined {
  try {
    return ModalContext.safeParse(JSON.parse(metadata)).data;
  } catch {
    return undefined;
  }
}
