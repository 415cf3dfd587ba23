import { sql } from 'kysely';

/**
 * Whether a queue uses AI agents; most do not. If it does, a requester's message is enqueued with the write that stores
 * it; whether one answers is decided when the job runs (decide.ts).
 */
export const asksAgents = sql<boolean>`coalesce(queue.settings ->> 'aiEnabled' = 'true', false)`;
