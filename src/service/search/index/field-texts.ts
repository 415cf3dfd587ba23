import { sql } from 'kysely';

import { type FieldUse, fieldUse, isPrivateAnswer } from '../../custom-fields/private.ts';
import type { ServiceDb } from '../../handler.ts';

interface TicketFields {
  workspace_id: string;
  custom_fields: Record<string, unknown>;
  request_type_id: string | null;
}

/** The values of a ticket's custom fields as people read them. */
interface FieldTexts {
  open: string[];
  /**
   * Answers to private questions, and e-mail addresses of people: like internal notes, only the team may find a ticket by
   * them.
   */
  private: string[];
}

interface FieldRow extends FieldUse {
  workspace_id: string;
  key: string;
  type: string;
  /** The names that values stand for, by their ids. */
  names: Record<string, string>;
  /** The e-mail addresses of people among them. */
  emails: Record<string, string>;
}

/** Returns the texts of custom fields, in the order of the tickets. An option, person, tag or status is its name. */
export async function fieldTexts(tx: ServiceDb, tickets: readonly TicketFields[]): Promise<FieldTexts[]> {
  const values = tickets.map(({ custom_fields: fields }) =>
    Object.entries(fields).map(([key, value]) => ({ key, texts: textsOf(value) })),
  );
  const isNone = values.every((each) => each.length === 0);
  const rows = isNone ? [] : await readFields(tx, tickets, values.flat());
  return tickets.map((ticket, place) => {
    const texts: FieldTexts = { open: [], private: [] };
    for (const { key, texts: given } of values[place] ?? []) {
      const field = rows.find((row) => row.workspace_id === ticket.workspace_id && row.key === key);
      const shown = given.map((text) => field?.names[text] ?? text);
      const isPrivate = field !== undefined && isPrivateAnswer(field, ticket.request_type_id);
      texts[isPrivate ? 'private' : 'open'].push(...shown);
      texts.private.push(...given.flatMap((text) => field?.emails[text] ?? []));
    }
    return texts;
  });
}

async function readFields(
  tx: ServiceDb,
  tickets: readonly TicketFields[],
  values: readonly { key: string; texts: string[] }[],
): Promise<FieldRow[]> {
  const workspaces = [...new Set(tickets.map((ticket) => ticket.workspace_id))];
  const keys = [...new Set(values.map(({ key }) => key))];
  const ids = [...new Set(values.flatMap(({ texts }) => texts))];
  const { rows } = await sql<FieldRow>`
    select f.workspace_id, f.key, f.type, coalesce(n.names, '{}') as names,
      coalesce(n.emails, '{}') as emails,
      ${fieldUse}
    from custom_field f cross join lateral (
      select jsonb_object_agg(id, name) as names, jsonb_object_agg(id, email) filter (where email is not null) as emails
      from (
        select o.id, o.value as name, null as email from custom_field_option o
          where o.workspace_id = f.workspace_id and o.custom_field_id = f.id and o.id = any(${ids}::text[])
        union all
        select p.id, concat_ws(' ', p.first_name, p.last_name), p.email from person p
          where f.type like 'USER%' and p.workspace_id = f.workspace_id and p.id = any(${ids}::text[])
        union all
        select x.id, x.name, null from tag x
          where f.type = 'TAG_SELECT' and x.workspace_id = f.workspace_id and x.id = any(${ids}::text[])
        union all
        select s.id, s.label, null from status s
          where f.type = 'STATUS_SELECT' and s.workspace_id = f.workspace_id and s.id = any(${ids}::text[])
      ) named) n
    where f.workspace_id = any(${workspaces}::text[]) and f.key = any(${keys}::text[])`.execute(tx);
  return rows;
}

/** Returns what stands in a value of any depth. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
