import type { Generated } from 'kysely';

import type { AuditEntry } from '../../contract/index.ts';
import type { Times } from './columns.ts';

interface AuditEntryTable {
  workspace_id: string;
  id: string;
  action: AuditEntry['action'];
  subject_id: string;
  reason: string;
  created_at: Date;
}

interface ChatAppTable extends Times {
  workspace_id: string;
  id: string;
  app_id: string;
  team_id: string | null;
  team_name: string | null;
  team_domain: string | null;
  team_url: string | null;
  bot_user_id: string | null;
  enterprise_id: string | null;
  enterprise_name: string | null;
  is_enterprise_install: Generated<boolean>;
}

interface SealingTable {
  only_row: Generated<boolean>;
  sample: string;
}

export interface UpkeepTables {
  audit_entry: AuditEntryTable;
  chat_app: ChatAppTable;
  sealing: SealingTable;
}
