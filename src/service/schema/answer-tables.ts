/** What became of a question (0006-answers). */
export const OUTCOMES = ['answered', 'silent', 'handed-over', 'no-answer'] as const;
export type AnswerOutcome = (typeof OUTCOMES)[number];

interface AgentAnswerTable {
  workspace_id: string;
  ticket_id: string;
  question_id: string;
  agent_id: string | null;
  outcome: AnswerOutcome;
  reason: string;
  ticket_message_id: string | null;
  created_at: Date;
}

export interface AnswerTables {
  agent_answer: AgentAnswerTable;
}
