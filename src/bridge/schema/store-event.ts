import type { Migration } from '../../platform/database/migrate.ts';

/** An event and its lane's job, in one round trip: chat waits for its acknowledgement meanwhile. */
export const storeEvent: Migration = {
  name: '0018-store-event',
  sql: `
-- How often the event came before; it gets a job the first time, with the trace that it follows from
-- (docs/deploy/tracing.md).
create function store_event(new_id text, from_source text, its_key text, its_kind text, conversation text, its_body json,
  received timestamptz, queue text, lane text, trace text default null)
returns integer language plpgsql as $$
declare
  repeated integer;
begin
  insert into inbox (id, source, event_key, kind, conversation_id, body, received_at)
    values (new_id, from_source, its_key, its_kind, conversation, its_body, received)
    on conflict (source, event_key) do update set repeats = inbox.repeats + 1
    returning repeats into repeated;
  if repeated = 0 then
    perform enqueue_jobs(array[queue], array[lane], array[null],
      array[json_strip_nulls(json_build_object('inbox', new_id, 'traceparent', trace))::text], array[0]);
  end if;
  return repeated;
end $$;
`,
};
