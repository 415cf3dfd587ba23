import { type Logger, LogLevel } from '@slack/web-api';

type Say = (...parts: unknown[]) => void;
const nothing: Say = () => undefined;

/** What Slack's libraries log with. They write words of people and tokens too, so only what is named here is taken. */
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
