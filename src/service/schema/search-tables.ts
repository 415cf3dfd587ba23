import type { Generated } from 'kysely';

interface SearchSettingTable {
  only_row: Generated<boolean>;
  language: string;
  indexed_language: string | null;
  providers: Generated<string[]>;
}

interface TicketSearchTable {
  workspace_id: string;
  ticket_id: string;
  created_at: Date;
  listed: boolean;
  private: Generated<boolean>;
  title: string;
  title_words: Generated<string>;
  document: string;
  notes: string;
  characters: number;
}

interface SearchWordTable {
  workspace_id: string;
  word: string;
}

interface EmbeddingDueTable {
  provider: string;
  workspace_id: string;
  ticket_id: string;
  revision: Generated<number>;
}

interface TicketEmbeddingTable {
  provider: string;
  workspace_id: string;
  ticket_id: string;
  content_hash: Buffer;
  vector: Buffer;
  stored_at: Date;
}

/** The tables of 0003-search, 0004-search-bounds and 0017-search-everything. */
export interface SearchTables {
  search_setting: SearchSettingTable;
  ticket_search: TicketSearchTable;
  search_word: SearchWordTable;
  embedding_due: EmbeddingDueTable;
  ticket_embedding: TicketEmbeddingTable;
}
