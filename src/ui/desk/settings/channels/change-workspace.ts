import type { BodyOf } from '../../api/types.ts';

export type ChangeWorkspace = (change: NonNullable<BodyOf<'updateWorkspace'>>) => Promise<void>;
