import { type Logger, LogLevel } from '@slack/web-api';

type Say = (...parts: unknown[]) => void;
const nothing: Say = () => undefined;

/** Logger for Slack's libraries. They log message text and tokens, so only the lines named here pass. */
export function sdkLogger({ warn = nothing, error = nothing }: { warn?: Say; error?: Say }): Logger {
  return {
    debug: nothing,
    info: nothing,
    warn,
    error,
    setLevel: nothing,
    getLevel: () => LogLevel.INFO,
    setName: nothing,
  };
}
