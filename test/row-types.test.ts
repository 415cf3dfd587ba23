import path from 'node:path';

import type pg from 'pg';
import { expect, test } from 'vitest';

import * as installations from '../src/bridge/installations/installations.ts';
import * as bridge from '../src/bridge/schema/migrations.ts';
import { type Migration, migrate, migration } from '../src/platform/database/migrate.ts';
import { ENGINE_SQL } from '../src/platform/engine/index.ts';
import * as service from '../src/service/schema/migrations.ts';
import { createTestDatabase } from './harness/database.ts';
import { connected, openSchema } from './harness/schema.ts';

// The row types are generated from the schemas: after a change of a schema, run this test with `-u`.

interface Module {
  schema: string;
  migrations: readonly Migration[];
  file: string;
  /** The name of the type; default: Tables. */
  name?: string;
  /** The path from that file to src/. */
  src: string;
  /** Columns with a narrower type than their database type: `contract` is the module of that name. */
  columns?: Record<string, string>;
}

const MODULES: Module[] = [
  {
    schema: 'engine',
    migrations: [migration('0001', ENGINE_SQL)],
    file: 'platform/engine/tables.ts',
    src: '../..',
    name: 'EngineTables',
    columns: { 'work.body': 'Json<object>' },
  },
  {
    schema: 'bridge',
    migrations: bridge.migrations,
    file: 'bridge/schema/tables.ts',
    src: '../..',
    name: 'BridgeTables',
  },
  {
    schema: 'installations',
    migrations: installations.migrations,
    file: 'bridge/installations/tables.ts',
    src: '../..',
    name: 'InstallationTables',
  },
  {
    schema: 'service',
    migrations: service.migrations,
    file: 'service/schema/tables.ts',
    src: '../..',
    columns: {
      'workspace.chat_emoji_actions': 'Json',
      'api_key.role': 'contract.Role',
      'notification.kind': 'contract.NotificationKind',
      'notification_change.facts': 'Json<object>',
      'api_key.source': 'contract.Source',
      'queue.settings': "Json<Partial<Omit<contract.QueueSettings, 'id'>>>",
      'business_hours.days': "Json<contract.BusinessHours['days']>",
      'business_hours.holidays': "Json<contract.BusinessHours['holidays']>",
      'request_type.default_priority': 'contract.Priority',
      'custom_field.type': 'contract.CustomFieldType',
      'request_type_custom_field.ticket_field': 'contract.TicketField',
      'ticket.priority': 'contract.Priority',
      'ticket.source': 'contract.Source',
      'ticket.custom_fields': 'Json<Record<string, unknown>>',
      'ticket.approval': "Json<NonNullable<contract.TicketDetail['metadata']['approval']>>",
      'ticket_message.source': 'contract.Source',
      'ticket_message.status': "'CREATED' | 'EDITED' | 'DELETED'",
      'view.filters': 'Json<Record<string, string>>',
      'view.sort_by': "NonNullable<contract.View['sortBy']>",
      'delivery.attempts': "Json<contract.Delivery['attempts']>",
      'audit_entry.action': "contract.AuditEntry['action']",
      'audit_entry.detail': "Json<NonNullable<contract.AuditEntry['detail']>>",
      'tool_call.answer': 'Json<Record<string, unknown>>',
      'workflow.connections': "Json<contract.Workflow['connections']>",
      'workflow.steps': "Json<contract.Workflow['steps']>",
      'workflow.draft': "Json<Pick<contract.Workflow, 'steps' | 'connections'>>",
      'workflow_version.connections': "Json<contract.Workflow['connections']>",
      'workflow_version.steps': "Json<contract.Workflow['steps']>",
      'workflow_trigger.inputs': 'Json<Record<string, unknown>>',
      'workflow_run_step.inputs': 'Json<Record<string, unknown>>',
      'workflow_run_step.outputs': 'Json<Record<string, unknown>>',
      'ai_agent.respond_on_message': "contract.Agent['respondOnMessage']",
      'search_setting.models': 'Json<Record<string, string>>',
      'application.access_levels': "Json<contract.Application['accessLevels']>",
      'application.integration': "Json<NonNullable<contract.Application['integration']>>",
    },
  },
];

const TYPES: Record<string, string> = {
  text: 'string',
  tsvector: 'string',
  bool: 'boolean',
  bytea: 'Buffer',
  _text: 'string[]',
  int4: 'number',
  int8: 'number',
  float8: 'number',
  json: 'Json',
  jsonb: 'Json',
  timestamptz: 'Timestamp',
};

/** A column of the catalogue; `values` are those listed in its check constraint, if there is one. */
interface Column {
  table: string;
  column: string;
  type: string;
  optional: boolean;
  nullable: boolean;
  values: string | null;
}

const COLUMNS = `
  select c.relname as table, a.attname as column, t.typname as type, not a.attnotnull as nullable,
    a.atthasdef or a.attidentity <> '' as optional,
    (select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
      and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) ~ '= ANY') as values
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
  where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname !~ '^migration'
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

async function rowTypes(
  client: pg.Client,
  { schema, columns = {}, src, name = 'Tables' }: Module,
): Promise<string> {
  const { rows } = await client.query<Column>(COLUMNS, [schema]);
  const has = (table: string) => rows.some((row) => row.table === table);
  const engine = schema !== 'engine' && has('work');
  const inherited = engine ? ['work', 'lane'] : [];
  const parents = engine ? 'EngineTables' : '';
  const tables = Map.groupBy(
    rows.filter(({ table }) => !inherited.includes(table)),
    ({ table }) => table,
  );
  const body = [...tables].map(([table, own]) => {
    const fields = own.map((each) => `    ${each.column}: ${typeOf(each, columns)};`);
    return [`  ${table}: {`, ...fields, '  };'].join('\n');
  });
  const text = `export interface ${name} ${parents && `extends ${parents} `}{\n${body.join('\n')}\n}\n`;
  const helpers = ['Generated', 'Json', 'Timestamp'].filter((helper) => text.includes(helper)).join(', ');
  const imports = [
    text.includes('contract.') && `import type * as contract from '${src}/contract/index.ts';`,
    `import type { ${helpers} } from '${schema === 'engine' ? '../database' : `${src}/platform/database`}/columns.ts';`,
    engine && `import type { EngineTables } from '${src}/platform/engine/index.ts';`,
  ];
  return `// Generated by test/row-types.test.ts from the schema. Do not edit.\n\n${imports.filter(Boolean).join('\n')}\n\n${text}`;
}

function typeOf(
  { table, column, type, optional, nullable, values }: Column,
  columns: Record<string, string>,
) {
  const listed = [...(values ?? '').matchAll(/'([^']+)'::text/g)].map(([, value]) => `'${value ?? ''}'`);
  const known = columns[`${table}.${column}`] ?? (listed.length > 0 ? listed.join(' | ') : TYPES[type]);
  if (known === undefined) throw new Error(`${table}.${column} has a type that is unknown here: ${type}`);
  const whole = nullable ? `${known} | null` : known;
  return optional ? `Generated<${whole}>` : whole;
}

test.for(MODULES)('the row types in $file match their schema', async (module) => {
  const { url } = await createTestDatabase(module.schema);
  await migrate(openSchema(url, module.schema), module.migrations);
  const file = path.join(import.meta.dirname, '../src', module.file);
  await expect(await rowTypes(await connected(url), module)).toMatchFileSnapshot(file);
});
