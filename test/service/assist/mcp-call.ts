import type { Running } from '../harness.ts';

/** What a tool answered, or why it did not. */
export interface ToolAnswer {
  /** Of a call that was answered. */
  output?: Record<string, unknown>;
  /** The code of the error, of the tool or of the request. */
  code?: string;
  /** Everything that came back. */
  text: string;
}

/** Calls one tool over MCP, as a client does that keeps no session. */
export async function callTool(
  { url }: Pick<Running, 'url'>,
  token: string,
  name: string,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<ToolAnswer> {
  const { status, body, text } = await send(
    { url },
    token,
    'tools/call',
    { name, arguments: input },
    headers,
  );
  if (status !== 200) return { code: (body as { code?: string }).code ?? String(status), text };
  const { result, error } = body as {
    result?: { isError?: boolean; content: { text: string }[]; structuredContent?: Record<string, unknown> };
    error?: { code: number };
  };
  if (!result) return { code: String(error?.code), text };
  if (!result.isError) return { output: result.structuredContent ?? {}, text };
  const [said] = result.content;
  return { code: (JSON.parse(said?.text ?? '') as { error: { code: string } }).error.code, text };
}

/** Sends one request of the protocol, and reads its answer from JSON or from a stream of events. */
export async function send(
  { url }: Pick<Running, 'url'>,
  token: string | null,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; text: string }> {
  const answer = await fetch(mcpUrl(url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await answer.text();
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  const json = isStream ? /^data: (.*)$/m.exec(text)?.[1] : text;
  return { status: answer.status, body: json ? (JSON.parse(json) as unknown) : undefined, text };
}

/** Where the tools are. */
export function mcpUrl(url: string): string {
  return new URL('/mcp', url).href;
}

/** Sets the switches of the workspace. */
export async function allow(
  { call, workspaceId }: Pick<Running, 'call' | 'workspaceId'>,
  settings: { mcpRead?: boolean; mcpWrite?: boolean; mcpSend?: boolean } = {
    mcpRead: true,
    mcpWrite: true,
    mcpSend: true,
  },
): Promise<void> {
  const { status } = await call('PUT', `/workspaces/${workspaceId}`, { body: { settings } });
  if (status !== 200) throw new Error(`the switches were refused: ${status}`);
}

let calls = 0;

/** A new idempotency key. */
export function newKey(): string {
  calls += 1;
  return `call-number-${calls}`;
}
