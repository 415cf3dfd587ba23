import pino, { type Logger } from 'pino';

export type Log = Logger;

/** Fields that may hold a secret or message text near a log line; their values are never written. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'apiKey',
  'text',
  'content',
  'headers.authorization',
  'headers.cookie',
  'headers["x-service-api-token"]',
  '*.authorization',
  '*.token',
  '*.secret',
  '*.apiKey',
  '*.text',
  '*.content',
];

export interface LogOptions {
  level: string;
  /** Coloured lines for a terminal instead of JSON. */
  pretty: boolean;
  /** Destination of log lines; default standard output. */
  destination?: pino.DestinationStream;
}

/** Creates the process's logger: JSON lines, with secrets and message text redacted. */
export function createLog({ level, pretty, destination }: LogOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.err },
  };
  if (destination) return pino(options, destination);
  if (!pretty) return pino(options);
  return pino({
    ...options,
    transport: {
      target: 'pino-pretty',
      options: { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', singleLine: true },
    },
  });
}
