import { z } from 'zod';

import type { Caller, ServiceDb } from '../handler.ts';
import { ASSIST_LIMITS } from './limits.ts';
import type { Operations } from './operations.ts';

/** Who calls a reading tool, and what it reads with. */
export interface Reading {
  caller: Caller;
  now: Date;
  /** Operations of the API that read, as the caller. */
  read: Operations;
  /** For what no operation reads, within the records that one of them lists. */
  db: ServiceDb;
  publicUrl: string;
}

/** Who calls a writing tool, in the transaction that also records the call. */
export interface Writing {
  caller: Caller;
  now: Date;
  /** Operations of the API that write, as the caller. */
  write: Operations;
  publicUrl: string;
}

interface About {
  name: string;
  title: string;
  /** For the model: what it does, and when to use it. */
  description: string;
}

interface Reads<Input extends z.ZodObject, Output extends z.ZodObject> extends About {
  input: Input;
  output: Output;
  answer(run: Reading, input: z.output<Input>): Promise<z.input<Output>>;
}

interface Writes<Input extends z.ZodObject, Output extends z.ZodObject> extends About {
  needs: 'write' | 'send';
  /** The tool replaces the existing value. */
  isDestructive: boolean;
  input: Input;
  /** Ids, references and versions: it is stored, so that a repeated call gets the same answer. */
  output: Output;
  answer(run: Writing, input: z.output<Input>): Promise<z.input<Output>>;
}

/** A tool that changes nothing. */
export interface ReadingTool extends Reads<z.ZodObject, z.ZodObject> {
  needs: 'read';
}

/** A tool that changes something, once for each `idempotencyKey`. */
export type WritingTool = Writes<z.ZodObject, z.ZodObject>;

export type AssistTool = ReadingTool | WritingTool;

export function readingTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Reads<Input, Output>,
): AssistTool {
  return { ...tool, input: tool.input.strict(), needs: 'read' } as unknown as ReadingTool;
}

const idempotencyKey = z
  .string()
  .min(ASSIST_LIMITS.idempotencyKey.min)
  .max(ASSIST_LIMITS.idempotencyKey.max)
  .describe(
    'A new random text for each action. Repeat it only to retry the same action: then nothing is done twice.',
  );

/** Makes a tool that writes; its input also has the `idempotencyKey`. */
export function writingTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Writes<Input, Output>,
): AssistTool {
  return { ...tool, input: tool.input.extend({ idempotencyKey }).strict() };
}

export function isWriting(tool: AssistTool): tool is WritingTool {
  return tool.needs !== 'read';
}
