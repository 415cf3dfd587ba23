/**
 * Returns the end of a statement that adds the work of a file's copy, in the lane of the message `$3`; the statement
 * has the copy in the relation `copy`.
 */
export function workOfCopy(kind: string, ofClass: string): string {
  return `, lanes as (
      insert into bridge.lane (key, class, wake_at) select '${ofClass}:' || $3::text, '${ofClass}', now() from copy
      on conflict (key) do update set wake_at = now() where lane.wake_at is null
    ), works as (
      insert into bridge.work (lane, kind, body, added_at, not_before)
      select '${ofClass}:' || $3::text, '${kind}', json_build_object('copies', array[id]), now(), now() from copy
    )
    select pg_notify('bridge.work', '${ofClass}')`;
}
